package canon_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// The oracle is the other reader of the project with gowebpki/jcs behind it.

// against holds what the writer makes of a text, behind what stands before it,
// to the oracle in both number modes.
func against(t testing.TB, w *canon.Writer, src []byte) {
	t.Helper()
	got, outcome := w.Append([]byte("x"), src)
	if outcome == canon.Refused && string(got) != "x" {
		t.Fatalf("%.400q is refused and left behind %.400q", src, got)
	}
	for _, numbers := range []fingerprint.Numbers{fingerprint.Strict, fingerprint.IEEE754} {
		oracle := fingerprint.Canonicaliser{Numbers: numbers, Engine: fingerprint.Reference}
		want, err := oracle.Append([]byte("x"), src)
		var e *fingerprint.Error
		switch {
		case err == nil && numbers == fingerprint.Strict && outcome != canon.Exact, err == nil && outcome == canon.Refused:
			t.Fatalf("%.400q, %s: %d, and the oracle takes it", src, numbers, outcome)
		case err == nil && string(got) != string(want):
			t.Fatalf("%.400q, %s:\n got %.400q\nwant %.400q", src, numbers, got, want)
		case err == nil:
		case !errors.As(err, &e):
			t.Fatal(err)
		case e.Class == fingerprint.Disagreement:
			t.Fatalf("%.400q: %v", src, err)
		case (e.Class == fingerprint.LossyNumber) != (outcome == canon.Lossy) || e.Class != fingerprint.LossyNumber && outcome != canon.Refused:
			t.Fatalf("%.400q, %s: %d, and the oracle says: %v", src, numbers, outcome, err)
		}
	}
}

var seeds = []string{`{"b":1,"a":[2,{"z":"é\u0041\n","y":-0.0}]}`, `[1e2,0.1,1e-7,123456789012345678,5e-324,1.7976931348623157e308,1e400]`,
	"{\"\\ud83d\\ude02\":1,\"\uFB33\":2,\"\":3,\"\\n\":4,\"\\\"\":5}", `  "x" `, `[[],{},[{}]]`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"aaaaaaaaaaaa1":1,"aaaaaaaaaaaa0":1}`,
	`{"b":{"d":{"f":1,"e":2},"c":3},"a":4}`, `{"a\u0000":1,"a":2,"a\u0000\u0000":3}`, `{"\\u":1,"\\\\":2,"\u005c\u005c\u005c":3,"\\n":4,"\n":5}`,
	`nul`, `[01]`, `["\ud800"]`, `["\udc00\ud800"]`, "[\"\xff\"]", "[\"\xed\xa0\x80\"]", "[\"abcdefg\x80\"]", "\"\x1f\"", `"`, `"\`, `"\u00`, `[`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `[1,]`, `{"a":1,}`, `{,}`, `[,]`, `1 2`, "\xEF\xBB\xBF1", "",
	`{"a":0.12345678901234567,"b":0.30000000000000004,"c":9007199254740993}`}

// readCases gives the inputs of the project's canonical cases.
func readCases(t testing.TB) [][]byte {
	text, err := os.ReadFile("../../../testdata/cases/canonical.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Input []byte `json:"input_base64"`
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 40 {
		t.Fatal(len(cases), err)
	}
	var inputs [][]byte
	for _, c := range cases {
		inputs = append(inputs, c.Input)
	}
	return inputs
}

// thresholds from which objects are put in order in the last pass: all of
// them, some, none.
var thresholds = []int{1, 12, 60, 1 << 30}

// FuzzBytes changes bytes of a text.
func FuzzBytes(f *testing.F) {
	for _, threshold := range thresholds {
		for _, s := range seeds {
			f.Add([]byte(s), threshold)
		}
		for _, input := range readCases(f) {
			f.Add(input, threshold)
		}
	}
	var w canon.Writer
	f.Fuzz(func(t *testing.T, src []byte, threshold int) {
		w.DeferFrom(threshold)
		against(t, &w, src)
	})
}

// FuzzDocuments changes what a text is made of.
func FuzzDocuments(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 64 {
		f.Add(choices(random), thresholds[i%len(thresholds)])
	}
	var w canon.Writer
	f.Fuzz(func(t *testing.T, choices []byte, threshold int) {
		if len(choices) > 4096 {
			return
		}
		w.DeferFrom(threshold)
		against(t, &w, []byte(document(choices)))
	})
}

func choices(random *rand.Rand) []byte {
	b := make([]byte, random.IntN(600))
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// One writer takes many documents, whatever came before.
func TestDocuments(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 400
	}
	random := rand.New(rand.NewPCG(3, 4))
	var w canon.Writer
	taken, ordered, wide := 0, 0, 0
	for i := range n {
		text := document(choices(random))
		w.DeferFrom(thresholds[i%len(thresholds)])
		against(t, &w, []byte(text))
		if _, outcome := w.Append(nil, []byte(text)); outcome != canon.Refused {
			taken++
		}
		if w.Looked() > 0 {
			wide++
		}
		if w.Moved() > 0 {
			ordered++
		}
	}
	t.Logf("%d documents: %d taken, %d put in order, %d by eight bytes at a time", n, taken, ordered, wide)
	if taken < n/2 || ordered < n/10 || wide < n/50 {
		t.Errorf("of %d documents only %d are taken, %d put in order, %d by eight bytes at a time: they say little", n, taken, ordered, wide)
	}
}

func TestCases(t *testing.T) {
	for _, threshold := range thresholds {
		var w canon.Writer
		w.DeferFrom(threshold)
		for _, s := range seeds {
			against(t, &w, []byte(s))
		}
		for _, input := range readCases(t) {
			against(t, &w, input)
		}
	}
}
