package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatIsRefusedBeforeTheClaimIsStoredNowhere(t *testing.T) {
	s := mustOpen(t, "sqlite:memory")
	r := newRig(t, s, newTestClock(), nil)
	key := "Idempotency-Key: k"
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	valid := func(member string) string {
		return `{"order_id":"o","amount":1,"currency":"EUR",` + member + `}`
	}
	for name, c := range map[string]struct {
		body   string
		fields []string
		status int
		slug   string
		says   string
	}{
		"no key":              {order("o"), nil, 400, "key-missing", ""},
		"empty key":           {order("o"), []string{"Idempotency-Key: "}, 400, "key-invalid", ""},
		"long key":            {order("o"), []string{"Idempotency-Key: " + strings.Repeat("x", 256)}, 400, "key-invalid", ""},
		"key beyond ASCII":    {order("o"), []string{"Idempotency-Key: clé"}, 400, "key-invalid", ""},
		"two keys":            {order("o"), []string{key, key}, 400, "key-invalid", ""},
		"basic":               {order("o"), []string{key, "Authorization: Basic eDp5"}, 401, "caller-unknown", ""},
		"empty token":         {order("o"), []string{key, "Authorization: Bearer "}, 401, "caller-unknown", ""},
		"two tokens":          {order("o"), []string{key, "Authorization: Bearer a", "Authorization: Bearer b"}, 401, "caller-unknown", ""},
		"media type":          {order("o"), []string{key, "Content-Type: text/plain"}, 415, "media-type", ""},
		"broken media type":   {order("o"), []string{key, "Content-Type: /"}, 415, "media-type", ""},
		"compressed":          {order("o"), []string{key, "Content-Encoding: gzip"}, 415, "media-type", ""},
		"too large":           {valid(`"note":"` + strings.Repeat("x", maxBody) + `"`), []string{key}, 413, "body-too-large", ""},
		"empty":               {"", []string{key}, 400, "body-malformed", "not JSON"},
		"two texts":           {order("o") + "{}", []string{key}, 400, "body-malformed", "one JSON text"},
		"not an object":       {`[1]`, []string{key}, 400, "body-malformed", "object"},
		"a bare text":         {`"x"`, []string{key}, 400, "body-malformed", "object"},
		"a name twice":        {valid(`"amount":2`), []string{key}, 400, "body-malformed", "twice"},
		"a name twice inside": {valid(`"metadata":{"a":1,"\u0061":2}`), []string{key}, 400, "body-malformed", "twice"},
		"a lone surrogate":    {valid(`"note":"\ud800"`), []string{key}, 400, "body-malformed", "broken escape"},
		"not UTF-8":           {valid("\"note\":\"\xff\""), []string{key}, 400, "body-malformed", "UTF-8"},
		"a large neighbour":   {valid(`"metadata":9007199254740993`), []string{key}, 400, "body-malformed", "double"},
		"too many digits":     {valid(`"metadata":0.1000000000000000055`), []string{key}, 400, "body-malformed", "double"},
		"overflow":            {valid(`"metadata":1e400`), []string{key}, 400, "body-malformed", "double"},
		"underflow":           {valid(`"metadata":1e-400`), []string{key}, 400, "body-malformed", "double"},
		"deep":                {valid(`"metadata":` + deep), []string{key}, 400, "body-malformed", "deeper"},
		"a form field twice":  {"order_id=o&order_id=p", []string{key, "Content-Type: application/x-www-form-urlencoded"}, 400, "body-malformed", "twice"},
		"metadata both ways":  {"metadata=a&metadata[b]=c", []string{key, "Content-Type: application/x-www-form-urlencoded"}, 400, "body-malformed", "metadata"},
		"a form not UTF-8":    {"order_id=%ff", []string{key, "Content-Type: application/x-www-form-urlencoded"}, 400, "body-malformed", "UTF-8"},
		"a broken form":       {"order_id=%zz", []string{key, "Content-Type: application/x-www-form-urlencoded"}, 400, "body-malformed", "form"},
		"nothing asked for":   {"{}", []string{key}, 422, "body-invalid", `"/order_id"`},
		"amount as text":      {`{"order_id":"o","amount":"1","currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/amount"`},
		"amount a fraction":   {`{"order_id":"o","amount":1.5,"currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/amount"`},
		"amount zero":         {`{"order_id":"o","amount":0,"currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/amount"`},
		"amount huge":         {`{"order_id":"o","amount":1e21,"currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/amount"`},
		"amount null":         {`{"order_id":"o","amount":null,"currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/amount"`},
		"currency":            {`{"order_id":"o","amount":1,"currency":"eur"}`, []string{key}, 422, "body-invalid", `"/currency"`},
		"order empty":         {`{"order_id":"","amount":1,"currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/order_id"`},
		"order with a NUL":    {`{"order_id":"\u0000","amount":1,"currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/order_id"`},
		"order too long":      {order(strings.Repeat("ö", 65)), []string{key}, 422, "body-invalid", `"/order_id"`},
		"order a number":      {`{"order_id":1,"amount":1,"currency":"EUR"}`, []string{key}, 422, "body-invalid", `"/order_id"`},
		"unknown member":      {valid(`"a/~b":1`), []string{key}, 422, "body-invalid", `"/a~1~0b"`},
		"unknown shape":       {valid(`"answer":"none"`), []string{key}, 422, "body-invalid", `"/answer"`},
		"unknown method":      {valid(`"payment_method":null`), []string{key}, 422, "body-invalid", `"/payment_method"`},
		"endless work":        {valid(`"work_ms":60001`), []string{key}, 422, "body-invalid", `"/work_ms"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := r.do("POST", "/v1/charges", c.body, c.fields...).want(t, c.status, c.slug)
			if !strings.Contains(got.body, c.says) {
				t.Errorf("%s does not say %s", got.body, c.says)
			}
		})
	}
	if n := records(t, s); n != 0 {
		t.Errorf("%d records", n)
	}
	r.wantEffects("o", 0)
}

func TestWhatIsAcceptedAtTheEdges(t *testing.T) {
	r := newRig(t, mustOpen(t, "sqlite:memory"), newTestClock(), nil)
	for i, key := range []string{"x", strings.Repeat("~", 255), `"quoted"`, "quoted", "QUOTED", "a b", `!"#$%&'()*+,-./:;<=>?@[\]^_{|}`} {
		r.charge(key, order("o")).want(t, 201, "")
		r.wantEffects("o", i+1) // none of them is another
	}
	for i, body := range []string{
		order(strings.Repeat("ö", 64)),
		`{"order_id":"e","amount":99999999999,"currency":"EUR","work_ms":0,"answer":"full","payment_method":"ok"}`,
		`{"order_id":"e","amount":1.0,"currency":"EUR","note":null,"ref":7,"customer":{"a":[null,false,-0.0,1e-7,5e-324]}}`,
		`{"order_id":"e","amount":1,"currency":"EUR","metadata":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
	} {
		for _, media := range []string{"application/json; charset=utf-8", "application/vnd.x+json", ""} {
			r.charge(fmt.Sprint("edge", i, media), body, "Content-Type: "+media).want(t, 201, "")
		}
	}
}

func TestPathsAndMethods(t *testing.T) {
	r := newRig(t, mustOpen(t, "sqlite:memory"), newTestClock(), func(o *Options) { o.Instance = "a" })
	for _, c := range []struct {
		method, path string
		status       int
		slug         string
	}{
		{"GET", "/healthz", 200, ""},
		{"HEAD", "/healthz", 200, ""},
		{"POST", "/healthz", 405, "method"},
		{"DELETE", "/v1/charges", 405, "method"},
		{"PUT", "/v1/charges/x", 405, "method"},
		{"GET", "/v1/charges/x", 404, "not-found"},
		{"GET", "/v1/charges/%00%ff", 404, "not-found"},
		{"GET", "/v1/charges", 400, "order-missing"},
		{"GET", "/v1/effects", 400, "order-missing"},
		{"GET", "/v1/effects?order_id=a&order_id=b", 400, "order-missing"},
		{"GET", "/v1/effects?order_id=%00", 400, "order-missing"},
		{"GET", "/v1/effects?order_id=a&limit=0", 400, "limit-invalid"},
		{"GET", "/v1/effects?order_id=a&limit=1001", 400, "limit-invalid"},
		{"GET", "/v1/refunds?order_id=a", 200, ""},
		{"POST", "/v1/effects", 405, "method"},
		{"GET", "/problems/key-missing", 200, ""},
		{"GET", "/problems/none", 404, "not-found"},
		{"GET", "/", 404, "not-found"},
		{"POST", "/v1/charges/", 405, "method"},
		{"POST", "/admin/advance?seconds=1", 404, "not-found"},
	} {
		if c.method == "HEAD" {
			c.slug = ""
		}
		got := r.do(c.method, c.path, "").want(t, c.status, c.slug)
		if got.header.Get("X-Served-By") != "a" || (c.status == 405) != (got.header.Get("Allow") != "") {
			t.Errorf("%s %s: %v", c.method, c.path, got.header)
		}
	}
	if got := r.do("GET", "/v1/effects?order_id=none", ""); got.body != `{"data":[],"has_more":false}` {
		t.Errorf("no effects: %s", got.body)
	}
	for range 3 {
		r.charge(fmt.Sprint("k", time.Now().UnixNano()), order("many")).want(t, 201, "")
	}
	if got := r.do("GET", "/v1/charges?order_id=many&limit=2", ""); !strings.HasSuffix(got.body, `"has_more":true}`) ||
		strings.Count(got.body, `"object"`) != 2 {
		t.Errorf("two of three: %s", got.body)
	}
	huge := r.do("GET", "/healthz", "", "X-Large: "+strings.Repeat("x", 40<<10))
	if huge.status != 431 {
		t.Errorf("a header of 40 KiB: %d", huge.status)
	}
}

// failing is a store in which one method fails.
type failing struct {
	Store
	method string
}

var errBroken = errors.New("the database is on fire")

func (f failing) Claim(ctx context.Context, a Ask) (Record, bool, error) {
	if f.method == "claim" {
		return Record{}, false, errBroken
	}
	return f.Store.Claim(ctx, a)
}

func (f failing) Find(ctx context.Context, id string) (Record, bool, error) {
	if f.method == "find" {
		return Record{}, false, errBroken
	}
	return f.Store.Find(ctx, id)
}

func (f failing) Commit(ctx context.Context, c Change) error {
	if f.method == "commit's answer" { // written, and the connection died
		return errors.Join(f.Store.Commit(ctx, c), errBroken)
	}
	if f.method == "commit" {
		return errBroken
	}
	return f.Store.Commit(ctx, c)
}

func (f failing) Effects(ctx context.Context, order string, limit int) ([]Effect, error) {
	if f.method == "effects" {
		return nil, errBroken
	}
	return f.Store.Effects(ctx, order, limit)
}

func TestWithoutItsStoreNothingIsDone(t *testing.T) {
	s := mustOpen(t, "sqlite:memory")
	for _, method := range []string{"find", "claim", "commit"} {
		r := newRig(t, failing{s, method}, newTestClock(), nil)
		got := r.charge(method, order("o")).want(t, 503, "store-unavailable")
		if got.header.Get("Retry-After") == "" || strings.Contains(got.body, "fire") {
			t.Errorf("%v %s", got.header, got.body)
		}
	}
	r := newRig(t, failing{s, "effects"}, newTestClock(), nil)
	r.do("GET", "/v1/effects?order_id=o", "").want(t, 503, "store-unavailable")
	// The failed commit released its key: no lease is in the way.
	r = newRig(t, s, newTestClock(), func(o *Options) { o.InFlight = "reject" })
	r.charge("commit", order("o")).want(t, 201, "")
	r.wantEffects("o", 1)
}

func TestACommitWhoseOutcomeIsUnknownIsNotUndone(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		r := newRig(t, failing{s, "commit's answer"}, newTestClock(), nil)
		r.charge("k", order("o")).want(t, 503, "store-unavailable")
		if got := r.charge("k", order("o")).want(t, 201, ""); got.header.Get("Idempotent-Replayed") != "true" {
			t.Error("the retry ran again")
		}
		r.wantEffects("o", 1)
	})
}

func TestNeitherTokensNorKeysReachLogsAndTokensReachNoStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "charges.db")
	s, err := Open(ctx, "sqlite:"+path)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	r := newRig(t, failing{s, "commit"}, newTestClock(), func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	r.charge("SECRETKEY", order("o"), "Authorization: Bearer SECRETTOKEN").want(t, 503, "")
	r.s.store = s
	r.charge("SECRETKEY", order("o"), "Authorization: Bearer SECRETTOKEN").want(t, 201, "")
	r.charge("SECRETKEY", order("o2"), "Authorization: Bearer SECRETTOKEN").want(t, 422, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, "key_hash") || strings.Contains(text, "SECRET") {
		t.Errorf("log: %s", text)
	}
	stored, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(stored, []byte("SECRETKEY")) || bytes.Contains(stored, []byte("SECRETTOKEN")) {
		t.Errorf("the store has the token, or not even the key (%v)", err)
	}
}
