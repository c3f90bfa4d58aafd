package canon_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

func TestDepth(t *testing.T) {
	for _, c := range []struct{ open, inner, shut string }{{"[", "", "]"}, {`{"a":`, "1", "}"}, {`[{"a":`, "1", "}]"}, {`{"b":1,"a":`, "{}", "}"}} {
		level := strings.Count(c.open, "[") + strings.Count(c.open, "{")
		inner := strings.Count(c.inner, "{")
		for _, depth := range []int{canon.MaxDepth - 2, canon.MaxDepth, canon.MaxDepth + 2} {
			n := (depth - inner) / level
			text := strings.Repeat(c.open, n) + c.inner + strings.Repeat(c.shut, n)
			want := canon.Exact
			if n*level+inner > canon.MaxDepth {
				want = canon.Refused
			}
			if _, outcome := (&canon.Writer{}).Append(nil, []byte(text)); outcome != want {
				t.Errorf("%s %d deep: %d", c.open, n*level+inner, outcome)
			}
		}
	}
	if _, outcome := (&canon.Writer{Depth: 3}).Append(nil, []byte("[[[[]]]]")); outcome != canon.Refused {
		t.Error("a depth of 3 takes 4")
	}
	if _, outcome := (&canon.Writer{Depth: 1100}).Append(nil, []byte(strings.Repeat("[", 1100)+strings.Repeat("]", 1100))); outcome != canon.Exact {
		t.Error("a depth of 1100 refuses it")
	}
}

// What is wrong at its beginning is refused there: what follows is not text at
// all here.
func TestEndlessBracketsAreRefusedAtOnce(t *testing.T) {
	text := make([]byte, 64<<20)
	copy(text, strings.Repeat("[", canon.MaxDepth+1))
	if _, outcome := (&canon.Writer{}).Append(nil, text); outcome != canon.Refused {
		t.Error("it is taken")
	}
	copy(text, strings.Repeat(`{"a":`, canon.MaxDepth+1))
	if _, outcome := (&canon.Writer{}).Append(nil, text); outcome != canon.Refused {
		t.Error("it is taken")
	}
}

// A million names in one object, in the worst of orders.
func TestAMillionNames(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	for kind, head := range map[string]string{"plain": "the-same-beginning-", "escaped": `the\n\u0001same\\\"`} {
		text, want := []byte{'{'}, []byte{'{'}
		for i := range n {
			if i > 0 {
				text, want = append(text, ','), append(want, ',')
			}
			text = numbered(text, head, n-1-i, i)
			want = numbered(want, head, i, n-1-i)
		}
		text, want = append(text, '}'), append(want, '}')
		var w canon.Writer
		got, outcome := w.Append(nil, text)
		if outcome != canon.Exact || string(got) != string(want) {
			t.Errorf("%s: %d, %.200s", kind, outcome, got)
		}
		twice := append(numbered(append(text[:len(text)-1], ','), head, n/2, 0), '}')
		if _, outcome := w.Append(got[:0], twice); outcome != canon.Refused {
			t.Errorf("%s: one of a million names stands twice, and it is taken", kind)
		}
	}
}

// numbered appends a member whose name ends in a number of seven digits.
func numbered(b []byte, head string, name, value int) []byte {
	b = append(append(b, '"'), head...)
	b = append(strconv.AppendInt(b, int64(10_000_000+name), 10), `":`...)
	return strconv.AppendInt(b, int64(value), 10)
}

// What stands in dst stays, with room behind it or without.
func TestAppends(t *testing.T) {
	const text = `{"b":[1e20,1e20,"é\u0001"],"a":{"d":` + "\"0123456789012345678901234567890123456789\"" + `,"c":1}}`
	var w canon.Writer
	want, _ := w.Append(nil, []byte(text))
	for _, threshold := range thresholds {
		w.DeferFrom(threshold)
		for room := range 300 {
			dst := append(make([]byte, 0, 7+room), "before "...)
			if got, outcome := w.Append(dst, []byte(text)); outcome != canon.Exact || string(got) != "before "+string(want) {
				t.Fatalf("room of %d: %d %s", room, outcome, got)
			}
			if got, outcome := w.Append(dst, []byte(text[:len(text)-1])); outcome != canon.Refused || string(got) != "before " {
				t.Fatalf("room of %d: %d %s", room, outcome, got)
			}
		}
	}
}

// Every beginning of a text is refused, and nothing is read or written beyond
// either buffer.
func TestEveryBeginning(t *testing.T) {
	text := `  {"ab\u00e9":"\ud83d\ude02é","a":[1.5e-3,-0,9007199254740991,null,true,false,{"":"\\"}],"0123456789":"01234567"}  `
	var w canon.Writer
	for end := range text {
		src := slices.Clip([]byte(text[:end]))
		_, outcome := w.Append(nil, src)
		if whole := strings.HasSuffix(strings.TrimSpace(text[:end]), "}  ") || end >= len(text)-2; (outcome == canon.Exact) != whole {
			t.Errorf("%q: %d", src, outcome)
		}
	}
}

// Numbers are what alone grows: by more than four times here.
func TestGrowth(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 1000} {
		text := "[" + strings.Repeat("1e20,", n) + "-1e20]"
		want := "[" + strings.Repeat("100000000000000000000,", n) + "-100000000000000000000]"
		if got, outcome := (&canon.Writer{}).Append(nil, []byte(text)); outcome != canon.Exact || string(got) != want {
			t.Errorf("%d: %d %.100s", n, outcome, got)
		}
	}
}

// Once its buffers have grown a writer allocates nothing.
func TestNoAllocations(t *testing.T) {
	deep := strings.Repeat(`{"z":"`+strings.Repeat("x", 1100)+`","a":`, 100) + "1" + strings.Repeat("}", 100)
	for kind, text := range map[string]string{
		"record":    `{"order_id": "o-1", "amount": 123.40, "customer": {"name": "Zoë", "email": "u@example.com", "vip": true}, "items": [{"sku": "A-1", "qty": 2, "price": 3.5}], "note": null}`,
		"numbers":   `[0.30000000000000004,0.1234567890123456,1e-7,5e-324,1.7976931348623157e308,123456789012345678,9007199254740993,1e21,0.10000000000000001]`,
		"escapes":   `["\u00e9\n\u0041\ud83d\ude02\/","` + strings.Repeat(`\u4e2d `, 300) + `"]`,
		"unsorted":  object(row(10)),
		"wide":      object(row(900)),
		"escaped":   object(strings.Split(strings.Join(row(100), "\\n#")+"\\n", "#")),
		"deep":      deep,
		"arrays":    strings.Repeat("[", 900) + strings.Repeat("]", 900),
		"white":     strings.Repeat(" \n", 1000) + "[ ]",
		"only text": `"` + strings.Repeat("é", 5000) + `"`,
	} {
		var w canon.Writer
		dst, outcome := w.Append(nil, []byte(text))
		if outcome == canon.Refused {
			t.Errorf("%s is refused", kind)
		}
		src := []byte(text)
		if n := testing.AllocsPerRun(20, func() { dst, _ = w.Append(dst[:0], src) }); n != 0 {
			t.Errorf("%s: %g allocations", kind, n)
		}
	}
}

// After one huge text its memory is given back.
func TestHugeBuffersAreGivenBack(t *testing.T) {
	var w canon.Writer
	names := row(900)
	for i := range names {
		names[i] += strings.Repeat("x", 6000)
	}
	w.Append(nil, []byte(object(names)))
	if w.Held() < 5<<20 {
		t.Fatalf("%d bytes are held: the text is not huge", w.Held())
	}
	w.Append(nil, []byte("1"))
	if w.Held() > 1<<20 {
		t.Errorf("%d bytes are still held", w.Held())
	}
}
