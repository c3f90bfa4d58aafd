package fingerprint

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnnotate(t *testing.T) {
	for _, c := range []struct{ field, record, want string }{
		{"id", `{}`, `{"id":"V"}`},
		{"id", ` { } `, ` {"id":"V" } `},
		{"id", `{"a":1}`, `{"a":1,"id":"V"}`},
		{"id", "{ \"a\" : 1\t}\r", "{ \"a\" : 1,\"id\":\"V\"\t}\r"},
		{"id", `{"a":{}}`, `{"a":{},"id":"V"}`},
		{"id", `{"a":"}"}`, `{"a":"}","id":"V"}`},
		{"id", `{"a":"id"}`, `{"a":"id","id":"V"}`},
		{"id", `{"a":{"id":1},"b":[{"id":2}]}`, `{"a":{"id":1},"b":[{"id":2}],"id":"V"}`},
		{"id", `{"a":["id","\\"]}`, `{"a":["id","\\"],"id":"V"}`},
		{"id", `{"ID":1,"i\\d":2,"\"id\"":3}`, `{"ID":1,"i\\d":2,"\"id\"":3,"id":"V"}`},
		{"", `{"a":""}`, `{"a":"","":"V"}`},
		{`"\` + "\n", `{"a":1}`, `{"a":1,"\"\\\n":"V"}`},
		{"/~", `{"a":1.50,"b":"\u0061\/"}`, `{"a":1.50,"b":"\u0061\/","/~":"V"}`},
	} {
		a, err := NewAnnotator(c.field)
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.Append([]byte("before "), []byte(c.record), []byte("V"))
		if err != nil || string(out) != "before "+c.want {
			t.Errorf("%q in %s: %s, %v", c.field, c.record, out, err)
		}
	}
}

func TestAnnotateRefuses(t *testing.T) {
	if _, err := NewAnnotator("\xff"); err == nil {
		t.Error("a name that is not UTF-8 is taken")
	}
	for _, c := range []struct{ field, record, why string }{
		{"id", `[]`, "no object"},
		{"id", `"{}"`, "no object"},
		{"id", `1`, "no object"},
		{"id", `[{"a":1}]`, "no object"},
		{"id", `{"id":1}`, "/id: the record has this member already"},
		{"id", `{"a":1 , "id" : null}`, "already"},
		{"id", `{"a":{"b":[1,2]},"\u0069d":1}`, "already"},
		{"id", `{"a":"\\","\u0069\u0064":1}`, "already"},
		{"é", `{"\u00E9":1}`, "already"},
		{"😀", `{"\ud83d\ude00":1}`, "already"},
		{"a/b", `{"a\/b":1}`, "/a~1b"},
		{`\`, `{"\\":1}`, "already"},
		{"", `{"":1}`, "already"},
	} {
		a, err := NewAnnotator(c.field)
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.Append([]byte("before"), []byte(c.record), []byte("V"))
		if err == nil || !strings.Contains(err.Error(), c.why) || string(out) != "before" {
			t.Errorf("%q in %s: %s, %v", c.field, c.record, out, err)
		}
	}
}

// TestAnnotateKeepsTheRecord: what comes out is the record with one member
// more, by the reader's word, and the same bytes without it.
func TestAnnotateKeepsTheRecord(t *testing.T) {
	name := rapid.SampledFrom([]string{`"id"`, `"\u0069d"`, `"a"`, `"b\"id"`, `"\\"`, `"c,"`, `"{"`, `"é"`, `"\u00e9"`})
	value := rapid.SampledFrom([]string{`1`, `"id"`, `{"id":2}`, `[{"id":[]},"}"]`, `"\",\"id\":"`, `{}`, ` [ ] `, `null`, `"\\"`})
	space := rapid.SampledFrom([]string{"", " ", "\t \r"})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString(space.Draw(t, "s") + "{" + space.Draw(t, "s"))
		for i := range rapid.IntRange(0, 5).Draw(t, "members") {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(name.Draw(t, "name") + space.Draw(t, "s") + ":" + value.Draw(t, "value") + space.Draw(t, "s"))
		}
		b.WriteString("}" + space.Draw(t, "s"))
		record := b.String()
		before, err := Parse([]byte(record))
		if err != nil {
			return // a name twice
		}
		field := rapid.SampledFrom([]string{"id", "é", `\`, "new"}).Draw(t, "field")
		has := false
		for _, m := range before.Members {
			has = has || m.Name == field
		}
		a, _ := NewAnnotator(field)
		out, err := a.Append(nil, []byte(record), []byte("V"))
		if has != (err != nil) {
			t.Fatalf("%s in %s: %v", field, record, err)
		}
		if has {
			return
		}
		after, err := Parse(out)
		n := len(before.Members)
		if err != nil || len(after.Members) != n+1 || after.Members[n].Name != field || after.Members[n].Value.Str != "V" {
			t.Fatalf("%s became %s: %v", record, out, err)
		}
		added := string(a.quoted) + `:"V"`
		if n > 0 {
			added = "," + added
		}
		if i := strings.LastIndex(string(out), added); i < 0 || string(out[:i])+string(out[i+len(added):]) != record {
			t.Fatalf("%s became %s", record, out)
		}
	})
}
