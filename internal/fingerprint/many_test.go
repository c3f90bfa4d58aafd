package fingerprint

import (
	"bytes"
	"testing"
)

// printers are policies that take every turn: with and without a key, looks,
// places that are called sensitive, rounding.
func printers(t testing.TB) []Policy {
	pointer := func(text string) Pointer {
		p, err := ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	key := &Keyed{Secret: bytes.Repeat([]byte("k"), 32), Kid: "k1", Namespace: "acme.payments"}
	list := []Policy{
		{Public: true}, {Public: true, Numbers: IEEE754}, {Key: key}, {Key: key, Sensitive: []Pointer{pointer("/a")}}, {},
		{Sensitive: []Pointer{}}, {Sensitive: []Pointer{pointer("/a/b"), pointer("/0")}}, {Sensitive: []Pointer{pointer("/a")}, Looks: true}, {Sensitive: []Pointer{pointer("")}},
	}
	for _, engine := range []Engine{Reference, CrossCheck} {
		list = append(list, Policy{Public: true, Engine: engine}, Policy{Key: key, Engine: engine}, Policy{Engine: engine})
	}
	return list
}

// FuzzPrinter: many payloads by one printer, each as its value has it.
func FuzzPrinter(f *testing.F) {
	for _, s := range []string{`{"a":{"b":1}}`, `{"b":1,"a":2}`, `[1.50]`, `["payer@example.com"]`, `{"payer@example.com":1}`, `[9007199254740993]`, `{"a":9007199254740993}`, `[1e400]`, `{"a":1,"a":1}`, ``, `"4111 1111 1111 1111"`} {
		f.Add([]byte(s))
	}
	policies := printers(f)
	list := make([]*Printer, len(policies))
	for i, p := range policies {
		var err error
		if list[i], err = p.Printer(); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		v, verr := Parse(payload)
		for i, p := range policies {
			got, err := list[i].Append([]byte("x"), payload)
			if one, oneErr := Payload(payload, p); (oneErr == nil) != (err == nil) || err == nil && "x"+one != string(got) || err != nil && err.Error() != oneErr.Error() {
				t.Fatalf("%q, policy %d: %q, %v; alone %q, %v", payload, i, got, err, one, oneErr)
			}
			want, werr := "", verr
			if verr == nil {
				want, werr = v.Fingerprint(p)
			}
			if (err == nil) != (werr == nil) || err == nil && string(got) != "x"+want || err != nil && string(got) != "x" {
				t.Fatalf("%q, policy %d: %q, %v; of its value %q, %v", payload, i, got, err, want, werr)
			}
		}
	})
}

func TestPrinterAllocatesNothing(t *testing.T) {
	payload := []byte(`{"b":1.50,"a":{"b":[1,2,3]},"c":"text"}`)
	for i, p := range printers(t) {
		if p.Engine != Own || !p.shows() && p.byLooks() || len(p.Sensitive) > 0 && p.Key == nil {
			continue // a second engine, a look at each value, or a refusal
		}
		printer, err := p.Printer()
		if err != nil {
			t.Fatal(err)
		}
		out, err := printer.Append(nil, payload)
		if err != nil {
			t.Fatal(i, err)
		}
		if n := testing.AllocsPerRun(50, func() { out, _ = printer.Append(out[:0], payload) }); n != 0 {
			t.Errorf("policy %d: %g allocations", i, n)
		}
	}
}

func TestPrinterRefusesAKeyThatIsNone(t *testing.T) {
	for _, k := range []Keyed{{}, {Secret: make([]byte, 31), Kid: "k", Namespace: "n"}, {Secret: make([]byte, 32), Kid: "K", Namespace: "n"}, {Secret: make([]byte, 32), Kid: "k", Namespace: "N"}} {
		if _, err := (Policy{Key: &k}).Printer(); err == nil {
			t.Errorf("%v is taken", k)
		}
	}
}
