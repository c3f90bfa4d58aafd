package fingerprint

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
	"github.com/idem-toolkit/idem/internal/problem"
)

func allEngines() []Engine { return []Engine{Own, Reference, CrossCheck} }

// Every engine gives the same bytes and the same errors, number modes and
// places included.
func TestEnginesAgree(t *testing.T) {
	for _, c := range readCases(t) {
		for _, numbers := range []Numbers{Strict, IEEE754} {
			want, werr := Canonical(c.Input, numbers)
			for _, engine := range allEngines() {
				canonicaliser := Canonicaliser{Numbers: numbers, Engine: engine}
				got, err := canonicaliser.Append([]byte("x"), c.Input)
				switch {
				case werr == nil && (err != nil || string(got) != "x"+string(want)):
					t.Errorf("%s, engine %d: %s, %v, want %s", c.Why, engine, got, err, want)
				case werr != nil && (err == nil || err.Error() != werr.Error() || string(got) != "x"):
					t.Errorf("%s, engine %d: %s, %v, want %v", c.Why, engine, got, err, werr)
				}
			}
		}
	}
}

func TestEnginesAgreeOnValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		numbers := rapid.SampledFrom([]Numbers{Strict, IEEE754}).Draw(t, "numbers")
		want, werr := v.Canonical(numbers, "/at")
		for _, engine := range allEngines() {
			c := Canonicaliser{Numbers: numbers, Engine: engine}
			got, err := c.AppendValue(nil, v, "/at")
			if (err == nil) != (werr == nil) || err != nil && err.Error() != werr.Error() || string(got) != string(want) {
				t.Fatalf("engine %d: %s, %v, want %s, %v", engine, got, err, want, werr)
			}
		}
	})
}

// A broken engine never passes: what the two could say of one text, and
// whether it may be used.
func TestDisagreementsAreTold(t *testing.T) {
	admitted, lossy := []byte(`{"secret":1}`), []byte(`[9007199254740993]`)
	refusal := &Error{Class: OutOfRange, Offset: 7, Line: 1, Detail: "number beyond the double range", Literal: "4111111111111111e999"}
	for name, c := range map[string]struct {
		numbers   Numbers
		out       string
		outcome   canon.Outcome
		reference string
		err       error
		want      string // empty: they agree
	}{
		"the same":                 {out: "[1]", outcome: canon.Exact, reference: "[1]"},
		"both refuse":              {outcome: canon.Refused, err: refusal},
		"both find it lossy":       {out: "[1]", outcome: canon.Lossy, err: refusal},
		"both round":               {numbers: IEEE754, out: "[1]", outcome: canon.Lossy, reference: "[1]"},
		"another byte":             {out: `{"a":"secret"}`, outcome: canon.Exact, reference: `{"a":"Secret"}`, want: "part at byte 6: the own engine wrote 14 bytes, the reference 14"},
		"a byte less":              {out: "[1", outcome: canon.Exact, reference: "[1]", want: "part at byte 2: the own engine wrote 2 bytes, the reference 3"},
		"a byte more":              {out: "[1]]", outcome: canon.Exact, reference: "[1]", want: "part at byte 3: the own engine wrote 4 bytes, the reference 3"},
		"rounded otherwise":        {numbers: IEEE754, out: "[2]", outcome: canon.Lossy, reference: "[1]", want: "part at byte 1"},
		"only the reference takes": {outcome: canon.Refused, reference: "[1]", want: "the own engine refuses a text that the reference takes"},
		"lossy for the own alone":  {out: "[1]", outcome: canon.Lossy, reference: "[1]", want: "the own engine refuses a text that the reference takes"},
		"only the own takes":       {out: "[1]", outcome: canon.Exact, err: refusal, want: "the own engine takes a text that the reference refuses: byte 7: number beyond the double range"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			canonicaliser := Canonicaliser{Numbers: c.numbers, Engine: CrossCheck}
			got, err := canonicaliser.crossed([]byte("x"), []byte("x"+c.out), c.outcome, []byte(c.reference), c.err)
			wantDisagreement(t, err, c.want)
			switch {
			case c.want != "" && string(got) != "x":
				t.Errorf("%s is used", got)
			case c.want == "" && c.err != nil && (err == nil || string(got) != "x"):
				t.Errorf("%s, %v", got, err)
			case c.want == "" && c.err == nil && (err != nil || string(got) != "x"+c.out):
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	// Without a cross-check the reader that says why holds the engine to it.
	for name, c := range map[string]struct {
		src     []byte
		outcome canon.Outcome
		want    string
	}{
		"refused for nothing": {admitted, canon.Refused, "the own engine refuses a text that the reference admits"},
		"lossy for nothing":   {admitted, canon.Lossy, "the own engine finds a number that is not kept, and the reference none"},
		"refused, and lossy":  {lossy, canon.Refused, "the own engine refuses a text that the reference admits"},
		"lossy, and refused":  {[]byte("[1e400]"), canon.Lossy, "the own engine admits a text that the reference refuses"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			wantDisagreement(t, (&Canonicaliser{}).why(c.src, c.outcome), c.want)
		})
	}
}

// wantDisagreement sees an error of two engines that says so, shows nothing of
// the text and tells what to do; or, where want is empty, none of that kind.
func wantDisagreement(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if IsDisagreement(err) {
			t.Errorf("they agree: %v", err)
		}
		return
	}
	var e *Error
	if !errors.As(err, &e) || !IsDisagreement(err) || e.Class != Disagreement {
		t.Fatalf("%v is not said to be a disagreement", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "cross-check: ") || !strings.Contains(text, want) || strings.Contains(strings.ToLower(text), "secret") || strings.Contains(text, "4111") {
		t.Errorf("%q, want %q", text, want)
	}
	if hint := problem.Hint(err); !strings.Contains(hint, "--engine reference") {
		t.Errorf("the hint is %q", hint)
	}
}

// What is wrong in the head of a long text is told without its rest, and told
// as it would be with it.
func TestWhyOfLongTexts(t *testing.T) {
	filler := strings.Repeat(`"0123456789abcdef",`, 60_000)
	for name, text := range map[string]string{
		"brackets":           strings.Repeat("[", 2<<20),
		"early":              `[1,2,,` + filler + "3]",
		"twice":              `{"a":1,"a":[` + filler + "3]}",
		"late":               "[" + filler + filler + "nul]",
		"open":               "[" + filler + filler + "1",
		"a cut number":       "[" + strings.Repeat(" ", 1<<20-3) + "12345e400" + strings.Repeat(" ", 100) + "]",
		"a cut word":         "[" + strings.Repeat(" ", 1<<20-3) + "true" + strings.Repeat(" ", 100) + ",]",
		"a cut character":    `["` + strings.Repeat("é", 1<<19) + `",` + filler + "]",
		"a cut escape":       `["` + strings.Repeat("x", 1<<20-5) + `\ud83d\ude02",` + filler + "]",
		"a number too large": "[" + strings.Repeat("9", 2<<20) + "]",
	} {
		_, err := Canonical([]byte(text), Strict)
		whole := Admit([]byte(text))
		if err == nil || whole == nil || err.Error() != whole.Error() {
			t.Errorf("%s: %v, want %v", name, err, whole)
		}
	}
}

func TestEngineWords(t *testing.T) {
	for word, want := range map[string]Engine{"own": Own, "reference": Reference} {
		if got, ok := ParseEngine(word); !ok || got != want {
			t.Errorf("%s: %d %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "Own", "jcs", "both"} {
		if _, ok := ParseEngine(word); ok {
			t.Errorf("%q is taken", word)
		}
	}
}

// One canonicaliser takes one text after another, whatever came before, and
// allocates nothing for those that it takes.
func TestCanonicaliserIsUsedAgain(t *testing.T) {
	var c Canonicaliser
	src, wrong := []byte(`{"b":[1.50,{"d":1,"c":2}],"a":"é"}`), []byte(`{"b":[1,`)
	dst, err := c.Append(nil, src)
	if err != nil {
		t.Fatal(err)
	}
	want := string(dst)
	for range 3 {
		if _, err := c.Append(nil, wrong); err == nil {
			t.Error("half a text is taken")
		}
		if _, err := c.AppendValue(nil, Array(String("x")), ""); err != nil {
			t.Error(err)
		}
		if got, err := c.Append(nil, src); err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
	if n := testing.AllocsPerRun(50, func() { dst, _ = c.Append(dst[:0], src) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
	if _, err := c.Append(nil, []byte(strings.Repeat("[", MaxDepth+1)+strings.Repeat("]", MaxDepth+1))); err == nil {
		t.Error("a value took the bound of nesting with it")
	}
}
