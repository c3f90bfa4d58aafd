package canon_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

func TestFind(t *testing.T) {
	const text = `{"":{"":1},"a":[10,{"b":"x\\"},[],"]"],"a/b":{"~":true},"n":null,"x\"y":{"é":1.5},"z":{"00":"{","0":"\"}"}}`
	for _, c := range []struct {
		path []string
		want string
	}{
		{nil, text}, {[]string{""}, `{"":1}`}, {[]string{"", ""}, "1"}, {[]string{"a"}, `[10,{"b":"x\\"},[],"]"]`}, {[]string{"a", "0"}, "10"},
		{[]string{"a", "1", "b"}, `"x\\"`}, {[]string{"a", "2"}, "[]"}, {[]string{"a", "3"}, `"]"`}, {[]string{"a/b", "~"}, "true"}, {[]string{"n"}, "null"},
		{[]string{`x"y`, "é"}, "1.5"}, {[]string{"z", "0"}, `"\"}"`}, {[]string{"z", "00"}, `"{"`},
		{[]string{"a", "4"}, ""}, {[]string{"a", "01"}, ""}, {[]string{"a", "-"}, ""}, {[]string{"a", "-1"}, ""}, {[]string{"a", "+1"}, ""}, {[]string{"a", "1.0"}, ""},
		{[]string{"a", "18446744073709551616"}, ""}, {[]string{"a", "2", "0"}, ""}, {[]string{"a", "0", "x"}, ""}, {[]string{"n", "x"}, ""}, {[]string{"b"}, ""}, {[]string{"x"}, ""},
	} {
		var spans []canon.Span
		// Alone, and among others that end above, below and beside it.
		for _, paths := range [][][]string{{c.path}, {{"a", "1"}, c.path, nil, {"z"}, {"n"}}, {c.path, {"a", "3"}, {"nothing"}, c.path, {"a"}}} {
			spans = canon.NewFinder(paths).Find([]byte(text), spans)
			for i, path := range paths {
				if len(path) == len(c.path) && (len(path) == 0 || &path[0] == &c.path[0]) {
					if got := text[spans[i].Start:spans[i].End]; got != c.want {
						t.Errorf("%q among %q: %s, want %s", c.path, paths, got, c.want)
					}
				}
			}
		}
	}
}

// Whatever the text, what is found is what a pointer names in its value.
func TestFindsWhatPointersName(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var w canon.Writer
	found := 0
	for range 1500 {
		text, outcome := w.Append(nil, []byte(document(choices(random))))
		if outcome == canon.Refused {
			continue
		}
		whole, err := fingerprint.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		paths := [][]string{{"0"}, {"a"}, {}}
		for range random.IntN(6) {
			paths = append(paths, somewhere(random, whole))
		}
		for i, span := range canon.NewFinder(paths).Find(text, nil) {
			v, there := whole.At(paths[i])
			if there != (span.End > 0) {
				t.Fatalf("%q in %.300s: found %v, there %v", paths[i], text, span, there)
			}
			if !there {
				continue
			}
			found++
			if want, err := v.Canonical(fingerprint.IEEE754, ""); err != nil || string(want) != string(text[span.Start:span.End]) {
				t.Fatalf("%q in %.300s: %s, want %s, %v", paths[i], text, text[span.Start:span.End], want, err)
			}
		}
	}
	if found < 2000 {
		t.Errorf("only %d found: it says little", found)
	}
}

// somewhere is the path to some value, and at times one further.
func somewhere(random *rand.Rand, v *fingerprint.Value) []string {
	var path []string
	for {
		switch {
		case random.IntN(4) == 0:
			return path
		case len(v.Items) > 0:
			i := random.IntN(len(v.Items))
			path, v = append(path, strconv.Itoa(i)), v.Items[i]
		case len(v.Members) > 0:
			m := v.Members[random.IntN(len(v.Members))]
			path, v = append(path, m.Name), m.Value
		default:
			return append(path, "x")
		}
	}
}
