package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const (
	patternToken = "hostile-token-41c7"
	patternBody  = `{"tenant":"acme","cart":{"id":"%s","version":3},"amount":1999,"currency":"EUR"}`
)

// wantRefusal wants problem+json that shows nothing of what was sent.
func wantRefusal(t *testing.T, name string, r shopReply, status int) {
	t.Helper()
	var problem struct {
		Type, Title, Detail string
		Status              int
	}
	if r.status != status || r.header.Get("Content-Type") != "application/problem+json" ||
		json.Unmarshal([]byte(r.body), &problem) != nil || problem.Status != status || problem.Type == "" || problem.Detail == "" {
		t.Errorf("%s: want %d, got %d %s %s", name, status, r.status, r.header, r.body)
	}
	for _, secret := range []string{patternToken, "hunter2", "zebra"} {
		if strings.Contains(r.body, secret) {
			t.Errorf("%s: the answer shows %s: %s", name, secret, r.body)
		}
	}
}

// hostile sends what no right client sends.
func (p nodePattern) hostile(t *testing.T, database string) {
	s := p.start(t, "DATABASE_URL="+database, "ANSWER_DELAY=100ms", "PROVIDER_URL=http://127.0.0.1:1")
	t.Run("bodies", func(t *testing.T) { hostileBodies(t, s) })
	t.Run("keys", func(t *testing.T) { hostileKeys(t, s) })
	t.Run("heads", func(t *testing.T) { hostileHeads(t, s) })
	t.Run("callers", func(t *testing.T) { strangeCallers(t, s) })
	t.Run("connections", func(t *testing.T) { hostileConnections(t, s) })
	t.Run("a provider that is not there", func(t *testing.T) {
		for range 2 {
			r := s.post(t, "/v1/payments", fmt.Sprintf(patternBody, "unpaid"), "Idempotency-Key: unpaid")
			if r.status != 409 {
				wantRefusal(t, "unpaid", r, 503)
			}
			if r.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After %q", r.header.Get("Retry-After"))
			}
		}
		if n := s.orders(t, "unpaid"); n != 0 {
			t.Errorf("%d orders", n)
		}
	})
	if r := s.get(t, "/healthz"); r.status != 200 {
		t.Errorf("afterwards: %d %s", r.status, r.body)
	}
	for _, secret := range []string{patternToken, "zebra", "customer@", database} {
		if strings.Contains(s.said.String(), secret) {
			t.Errorf("the log shows %s\n%s", secret, s.said)
		}
	}
}

// hostileBodies are refused before their key is claimed: the right request may
// use it.
func hostileBodies(t *testing.T, s patternService) {
	good := fmt.Sprintf(patternBody, "bodies")
	with := func(member string) string { return good[:len(good)-1] + "," + member + "}" }
	amount := func(n string) string { return strings.Replace(good, "1999", n, 1) }
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"empty":                   {"", 400},
		"torn":                    {good[:30], 400},
		"two":                     {good + good, 400},
		"an array":                {"[" + good + "]", 400},
		"a name twice":            {with(`"amount":1`), 400},
		"a name twice, escaped":   {with(`"\u0061mount":1999`), 400},
		"beyond 2^53":             {amount("9007199254740993"), 400},
		"2^53":                    {amount("9007199254740992"), 422},
		"1e400":                   {amount("1e400"), 400},
		"1e-400":                  {amount("1e-400"), 400},
		"-0":                      {amount("-0"), 422},
		"-1":                      {amount("-1"), 422},
		"a fraction":              {amount("0.5"), 422},
		"too many digits":         {amount("1999.00000000000000000001"), 400},
		"a text for a number":     {amount(`"1999"`), 422},
		"half a surrogate pair":   {strings.Replace(good, "bodies", `\ud800`, 1), 400},
		"not UTF-8":               {strings.Replace(good, "bodies", "\xff", 1), 400},
		"a surrogate in UTF-8":    {strings.Replace(good, "bodies", "\xed\xa0\x80", 1), 400},
		"a byte order mark":       {"\ufeff" + good, 400},
		"deep":                    {with(`"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000)), 400},
		"a strange member":        {with(`"zebra":1`), 422},
		"__proto__":               {with(`"__proto__":{"zebra":1}`), 422},
		"null for a customer":     {with(`"customer":null`), 422},
		"a customer with more":    {with(`"customer":{"email":"e","zebra":1}`), 422},
		"a control character":     {strings.Replace(good, "bodies", `zebra\u0000`, 1), 422},
		"a long text":             {strings.Replace(good, "bodies", strings.Repeat("x", 65), 1), 422},
		"a small currency":        {strings.Replace(good, "EUR", "eur", 1), 422},
		"large":                   {with(`"sent_at":"` + strings.Repeat("x", 64<<10) + `"`), 413},
		"a row of zeros":          {amount("1" + strings.Repeat("0", 60_000) + "1"), 400},
		"a prototype's own names": {with(`"constructor":1,"toString":2`), 422},
	} {
		r := s.post(t, "/v1/checkouts", c.body, "Idempotency-Key: bodies")
		wantRefusal(t, name, r, c.status)
	}
	if n := s.orders(t, "bodies"); n != 0 {
		t.Fatalf("%d orders", n)
	}
	r := s.post(t, "/v1/checkouts", good, "Idempotency-Key: bodies")
	if r.status != 201 || r.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the right request after them: %d %s", r.status, r.body)
	}
	// Other spellings of the very same.
	for name, body := range map[string]string{
		"spaces":       strings.ReplaceAll(good, ",", " ,\n\t"),
		"order":        `{"currency":"EUR","amount":1999,"cart":{"version":3,"id":"bodies"},"tenant":"acme"}`,
		"numbers":      amount("1.999e3"),
		"escapes":      strings.Replace(good, "bodies", `\u0062odies`, 1),
		"another time": with(`"sent_at":"2026-11-30T10:15:00Z"`),
	} {
		again := s.post(t, "/v1/checkouts", body, "Idempotency-Key: bodies")
		if again.status != 201 || again.body != r.body || again.header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: %d %s", name, again.status, again.body)
		}
	}
	wantRefusal(t, "another amount", s.post(t, "/v1/checkouts", amount("2000"), "Idempotency-Key: bodies"), 422)
	wantRefusal(t, "another path", s.post(t, "/v1/payments", good, "Idempotency-Key: bodies"), 422)
	wantRefusal(t, "another query", s.post(t, "/v1/checkouts?x=1", good, "Idempotency-Key: bodies"), 422)
	if n := s.orders(t, "bodies"); n != 1 {
		t.Errorf("%d orders", n)
	}
}

func hostileKeys(t *testing.T, s patternService) {
	body := fmt.Sprintf(patternBody, "keys")
	for name, fields := range map[string][]string{
		"none":           {},
		"empty":          {"Idempotency-Key: "},
		"too long":       {"Idempotency-Key: " + strings.Repeat("k", 256)},
		"far too long":   {"Idempotency-Key: " + strings.Repeat("k", 16<<10)},
		"a space inside": {"Idempotency-Key: a b"},
		"a tab inside":   {"Idempotency-Key: a\tb"},
		"not ASCII":      {"Idempotency-Key: schlüssel"},
		"two":            {"Idempotency-Key: a", "Idempotency-Key: a"},
	} {
		wantRefusal(t, name, s.post(t, "/v1/checkouts", body, fields...), 400)
	}
	if n := s.orders(t, "keys"); n != 0 {
		t.Errorf("%d orders", n)
	}
	for i, key := range []string{strings.Repeat("k", 255), "!", `"quoted"`, "a,b", "'; DROP TABLE orders; --", "K", "k", "%00", "__proto__"} {
		if strings.Contains(key, " ") {
			continue // not a key; what it would do is tried above
		}
		if r := s.post(t, "/v1/checkouts", fmt.Sprintf(patternBody, fmt.Sprint("key", i)), "Idempotency-Key: "+key); r.status != 201 {
			t.Errorf("%q: %d %s", key, r.status, r.body)
		}
	}
}

func hostileHeads(t *testing.T, s patternService) {
	body := fmt.Sprintf(patternBody, "heads")
	key := "Idempotency-Key: heads"
	for name, media := range map[string]string{
		"a form": "Content-Type: application/x-www-form-urlencoded", "none": "Content-Type", "text": "Content-Type: text/plain",
		"one that begins alike": "Content-Type: application/jsonx",
	} {
		wantRefusal(t, name, s.post(t, "/v1/checkouts", body, key, media), 415)
	}
	r := s.get(t, "/v1/checkouts")
	wantRefusal(t, "GET", r, 405)
	if r.header.Get("Allow") != "POST" {
		t.Errorf("Allow %q", r.header.Get("Allow"))
	}
	wantRefusal(t, "POST to a list", s.post(t, "/v1/orders", body, key), 405)
	wantRefusal(t, "nowhere", s.post(t, "/v1/checkouts/", body, key), 404)
	wantRefusal(t, "no cart", s.get(t, "/v1/orders"), 400)
	wantRefusal(t, "two carts", s.get(t, "/v1/orders?cart_id=a&cart_id=b"), 400)
	wantRefusal(t, "no such order", s.get(t, "/v1/orders/ord_1"), 404)
	wantRefusal(t, "a name of every object", s.get(t, "/constructor"), 404)
	if n := s.orders(t, "heads"); n != 0 {
		t.Errorf("%d orders", n)
	}
}

// strangeCallers have keys of their own, also those who do not say who they are.
func strangeCallers(t *testing.T, s patternService) {
	body := fmt.Sprintf(patternBody, "callers")
	seen := map[string]bool{}
	for i, authorization := range []string{"Authorization: Bearer a", "Authorization: Bearer b", "Authorization", "Authorization: ", "Authorization: Bearer \xe9"} {
		r := s.post(t, "/v1/checkouts", body, "Idempotency-Key: callers", authorization)
		if again := s.post(t, "/v1/checkouts", body, "Idempotency-Key: callers", authorization); r.status != 201 || again.body != r.body {
			t.Errorf("%s: %d %s, then %s", authorization, r.status, r.body, again.body)
		}
		seen[r.body] = true
		if i > 0 {
			continue
		}
		path := r.header.Get("Location")
		if shown := s.get(t, path, authorization); shown.status != 200 || shown.body != r.body {
			t.Errorf("%s: %d %s", path, shown.status, shown.body)
		}
		wantRefusal(t, "another caller's order", s.get(t, path, "Authorization: Bearer b"), 404)
	}
	if len(seen) != 4 { // none and an empty one are the same caller
		t.Errorf("%d different orders: %v", len(seen), seen)
	}
}

// raw sends bytes and gives what comes back until the connection is closed.
func (s patternService) raw(t *testing.T, hangUp bool, parts ...string) string {
	t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			break // it may have been refused already
		}
	}
	if hangUp {
		return ""
	}
	said, _ := io.ReadAll(conn)
	return string(said)
}

func headOf(key, more string) string {
	return "POST /v1/checkouts HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nAuthorization: Bearer " + patternToken +
		"\r\nIdempotency-Key: " + key + "\r\n" + more + "\r\n"
}

func hostileConnections(t *testing.T, s patternService) {
	body := fmt.Sprintf(patternBody, "connections")
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	chunk := "1000\r\n" + strings.Repeat("x", 0x1000) + "\r\n"
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"no HTTP":               {[]string{"hello\r\n\r\n"}, "HTTP/1.1 400"},
		"a control character":   {[]string{headOf("a\x01b", length), body}, "HTTP/1.1 400"},
		"a head without end":    {[]string{headOf("a", "X: "+strings.Repeat("x", 64<<10)+"\r\n")}, "HTTP/1.1 431"},
		"two lengths":           {[]string{headOf("a", length+"Transfer-Encoding: chunked\r\n"), body}, "HTTP/1.1 400"},
		"a length beyond bound": {[]string{headOf("a", "Content-Length: 99999999999\r\n")}, "HTTP/1.1 413"},
		"chunks without end":    {append([]string{headOf("a", "Transfer-Encoding: chunked\r\n")}, strings.Split(strings.Repeat(chunk+"|", 64), "|")...), "HTTP/1.1 413"},
		"a slow body":           {[]string{headOf("slow", length), body[:10]}, "HTTP/1.1 408"},
		"a slow head":           {[]string{"POST /v1/checkouts HTTP/1.1\r\nHost: shop\r\n"}, "HTTP/1.1 408"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := s.raw(t, false, c.parts...)
			if !strings.HasPrefix(said, c.want) || !strings.Contains(said, "application/problem+json") {
				t.Errorf("want %s, got %q", c.want, said)
			}
		})
	}
	t.Run("a caller who hangs up in the middle of a body", func(t *testing.T) {
		t.Parallel()
		s.raw(t, true, headOf("half", length), body[:len(body)-1])
		time.Sleep(200 * time.Millisecond)
		half := fmt.Sprintf(patternBody, "half")
		if r := s.post(t, "/v1/checkouts", half, "Idempotency-Key: half"); r.status != 201 || r.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("the key was taken: %d %s", r.status, r.body)
		}
	})
	t.Run("a caller who hangs up before the answer", func(t *testing.T) {
		t.Parallel()
		body := fmt.Sprintf(patternBody, "gone-cart")
		s.raw(t, true, headOf("gone", fmt.Sprintf("Content-Length: %d\r\n", len(body))), body)
		for end := time.Now().Add(time.Minute); s.orders(t, "gone-cart") == 0 && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		r := s.post(t, "/v1/checkouts", body, "Idempotency-Key: gone")
		if n := s.orders(t, "gone-cart"); r.status != 201 || r.header.Get("Idempotent-Replayed") != "true" || n != 1 {
			t.Errorf("%d orders, then %d %s", n, r.status, r.body)
		}
	})
}
