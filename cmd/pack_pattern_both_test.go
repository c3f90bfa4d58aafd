package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// besideGo runs the pattern in both languages on one database: each replays what
// the other made, and finishes what the other left.
func (p nodePattern) besideGo(t *testing.T, database string) {
	folder, program := packPattern(t)
	ledger := "sqlite:" + filepath.ToSlash(filepath.Join(t.TempDir(), "provider.db"))
	provider := startServe(t, "--store", ledger)
	schema := "SCHEMA=" + filepath.Join(folder, "schema")
	node := p.start(t, "DATABASE_URL="+database, "PROVIDER_URL="+provider, "LEASE=8s")
	golang := startPattern(t, exec.Command(program), "DATABASE_URL="+database, "PROVIDER_URL="+provider, "LEASE=8s", schema)

	for i, both := range [][2]patternService{{golang, node}, {node, golang}} {
		for _, path := range []string{"/v1/checkouts", "/v1/payments?a=%C3%A9&b"} {
			each := fmt.Sprintf("-%d-%d", i, len(path))
			key := "Idempotency-Key: both" + each
			cart := `\u00e9<&>\ud83d\ude02\u2028` + each
			body := `{"tenant":"a\/b","cart":{"id":"` + cart + `","version":9007199254740991},"amount":1.5e3,"currency":"EUR","sent_at":"one","customer":{"email":"e"}}`
			again := `{"customer": {"email":"\u0065"}, "amount":1500, "currency":"EUR", "cart":{"version":9007199254740991.0,"id":"é<&>😂` + "\u2028" + each + `"},"tenant":"a/b","sent_at":"two"}`
			first := both[0].post(t, path, body, key)
			second := both[1].post(t, path, again, key)
			if first.status != 201 || second.status != 201 || second.body != first.body || second.header.Get("Idempotent-Replayed") != "true" ||
				second.header.Get("Location") != first.header.Get("Location") {
				t.Errorf("%d %s: %d %s, then %d %s", i, path, first.status, first.body, second.status, second.body)
			}
			// Go writes < as \u003c: another spelling of the same.
			shown := both[1].get(t, first.header.Get("Location"), "Authorization: Bearer "+patternToken)
			if a, b := decoded(t, shown.body), decoded(t, first.body); !reflect.DeepEqual(a, b) {
				t.Errorf("made as %v, and shown by the other as %v", b, a)
			}
			wantRefusal(t, "another amount", both[1].post(t, path, strings.Replace(again, "1500", "1501", 1), key), 422)
		}
		// More than the provider takes: a result without a place.
		dear := strings.Replace(fmt.Sprintf(patternBody, "dear"), "1999", "100000000000", 1)
		first := both[0].post(t, "/v1/payments", dear, fmt.Sprint("Idempotency-Key: dear", i))
		second := both[1].post(t, "/v1/payments", dear, fmt.Sprint("Idempotency-Key: dear", i))
		if len(first.header["Location"])+len(second.header["Location"]) > 0 || first.status != 402 || second.status != 402 ||
			decoded(t, first.body) == nil || second.body != first.body || second.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d declined: %d %s %s, then %d %s %s", i, first.status, first.header, first.body, second.status, second.header, second.body)
		}
	}
	leftBehind(t, provider, database, node, func(env ...string) patternService {
		return startPattern(t, exec.Command(program), append(env, schema)...)
	})
	leftBehind(t, provider, database, golang, func(env ...string) patternService { return p.start(t, env...) })
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	return v
}

// listenSilently gives a provider that takes connections and says nothing.
func listenSilently(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	l.SetDeadline(time.Now().Add(time.Minute))
	return l
}

// leaveIntent has a service record its intent, ask the provider, and die. The
// cart's name is the key.
func (s patternService) leaveIntent(t *testing.T, silent net.Listener, cart string) {
	t.Helper()
	body := fmt.Sprintf(patternBody, cart)
	s.raw(t, true, strings.Replace(headOf(cart, fmt.Sprintf("Content-Length: %d\r\n", len(body))), "/v1/checkouts", "/v1/payments", 1), body)
	conn, err := silent.Accept()
	if err != nil {
		t.Fatalf("the provider was not asked: %v\n%s", err, s.said)
	}
	s.process.Kill()
	conn.Close()
}

// leftBehind has a service die while the provider keeps it waiting: another one
// finishes what it intended, by itself.
func leftBehind(t *testing.T, provider, database string, heir patternService, start func(env ...string) patternService) {
	t.Helper()
	silent := listenSilently(t)
	s := start("DATABASE_URL="+database, "PROVIDER_URL=http://"+silent.Addr().String(), "LEASE=2s")
	cart := "left-" + s.address[strings.LastIndex(s.address, ":")+1:]
	s.leaveIntent(t, silent, cart)
	body := fmt.Sprintf(patternBody, cart)
	for end := time.Now().Add(time.Minute); heir.orders(t, cart) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nobody finished it\n%s", heir.said)
		}
	}
	r := heir.post(t, "/v1/payments", body, "Idempotency-Key: "+cart)
	if n := heir.orders(t, cart); r.status != 201 || r.header.Get("Idempotent-Replayed") != "true" || n != 1 {
		t.Errorf("%d orders, then %d %s", n, r.status, r.body)
	}
	effects, err := http.Get(provider + "/v1/effects?order_id=" + cart)
	if err != nil {
		t.Fatal(err)
	}
	defer effects.Body.Close()
	if list, _ := io.ReadAll(effects.Body); bytes.Count(list, []byte(`"payment_id"`)) != 1 {
		t.Errorf("effects: %s", list)
	}
}
