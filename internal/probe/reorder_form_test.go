package probe_test

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// formed is the contract with its body as a form.
func formed(lines ...string) string {
	return strings.ReplaceAll(changed(append(lines, "headers: {Content-Type: application/x-www-form-urlencoded}")...),
		`body: {order_id: "o-1", amount: 1999, currency: EUR}`, `form: {order_id: "o-1", amount: "1999", currency: EUR, note: "two tickets"}`)
}

// TestFormsInOtherSpellings holds servers to reorder where bodies are forms: the
// same fields in another order are the same request, or other bytes are another.
func TestFormsInOtherSpellings(t *testing.T) {
	for name, c := range map[string]struct {
		promise string
		prints  string
		want    string
	}{
		"fields, as promised": {"semantic", "", "pass"},
		"bytes, as promised":  {"bytes", "bytes", "pass"},
		"bytes, where fields are promised": {"semantic", "bytes",
			"fail reorder/refused field order, percent-encoding, percent-encoding with small digits, spaces as %20, all together"},
		"fields, where bytes are promised": {"bytes", "",
			"fail reorder/accepted-as-same field order, percent-encoding, percent-encoding with small digits, spaces as %20, all together"},
		"not promised": {"any", "bytes", "skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := play(t, scene{contract: formed("reorder: " + c.promise), behaviour: behaviour{fingerprint: c.prints}})
			step := stepOf(r, "reorder")
			got := string(step.Verdict)
			if len(step.Findings) > 0 {
				got += " " + step.Findings[0].Slug
			}
			for _, k := range step.Cases {
				if k.Verdict == probe.Fail {
					got += map[bool]string{true: ", ", false: " "}[strings.Contains(got, "field order")] + k.Name
				}
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s\n%s", got, c.want, outcome(r))
			}
		})
	}
	r, _ := play(t, scene{contract: formed("-reorder")})
	if step := stepOf(r, "reorder"); step.Verdict != probe.Inconclusive || !strings.Contains(step.Reasons[0].Text, "promise.reorder is not stated") {
		t.Errorf("where nothing is promised: %s", outcome(r))
	}
}

// TestFormSpellingsMeanTheSame reads every spelling of a form as servers do.
func TestFormSpellingsMeanTheSame(t *testing.T) {
	texts := rapid.SampledFrom([]string{"", "a", "a-b_c.d~e", "x y", "é", "日本", "&=+%", "%2D", "tags[]", "card[number]", "0", "*"})
	rapid.Check(t, func(t *rapid.T) {
		body := contract.Body{Kind: contract.FormBody}
		for range rapid.IntRange(0, 5).Draw(t, "fields") {
			body.Form = append(body.Form, [2]string{texts.Draw(t, "name"), texts.Draw(t, "value")})
		}
		plain, all, err := probe.Spellings(&contract.Operation{Request: contract.Request{Body: body}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := url.ParseQuery(string(plain))
		if err != nil {
			t.Fatal(err)
		}
		seen := []string{string(plain)}
		for _, s := range all {
			got, err := url.ParseQuery(string(s.Body))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s is not %s (%v)", s.Name, s.Body, plain, err)
			}
			if slices.Contains(seen, string(s.Body)) || s.Advisory {
				t.Errorf("%s: %s is nothing new, or not judged", s.Name, s.Body)
			}
			seen = append(seen, string(s.Body))
		}
	})
}

func TestFormSpellings(t *testing.T) {
	op := &contract.Operation{Request: contract.Request{Body: contract.Body{Kind: contract.FormBody,
		Form: [][2]string{{"tags[]", "b"}, {"id", "o-1 /"}, {"tags[]", "a"}}}}}
	plain, all, err := probe.Spellings(op)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"field order":                        "id=o-1+%2F&tags%5B%5D=b&tags%5B%5D=a",
		"percent-encoding":                   "%74%61%67%73%5B%5D=%62&%69%64=%6F%2D%31%20%2F&%74%61%67%73%5B%5D=%61",
		"percent-encoding with small digits": "%74%61%67%73%5b%5d=%62&%69%64=%6f%2d%31%20%2f&%74%61%67%73%5b%5d=%61",
		"spaces as %20":                      "tags%5B%5D=b&id=o-1%20%2F&tags%5B%5D=a",
		"all together":                       "%69%64=%6f%2d%31%20%2f&%74%61%67%73%5b%5d=%62&%74%61%67%73%5b%5d=%61",
	}
	if string(plain) != "tags%5B%5D=b&id=o-1+%2F&tags%5B%5D=a" || len(all) != len(want) {
		t.Errorf("%s in %d spellings", plain, len(all))
	}
	for _, s := range all {
		if string(s.Body) != want[s.Name] {
			t.Errorf("%s: %s, want %s", s.Name, s.Body, want[s.Name])
		}
	}
}
