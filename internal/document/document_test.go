package document

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

func TestReads(t *testing.T) {
	for _, c := range []struct{ name, file, src, want string }{
		{"block mapping", "r.yaml", "a: 1\nb: text\nc: [x, 'y', \"z\"]\n", `{"a":1,"b":"text","c":["x","y","z"]}`},
		{"flow mapping", "r.yaml", "{a: 1, b: {c: d}}", `{"a":1,"b":{"c":"d"}}`},
		{"1.1 booleans are text in 1.2", "r.yaml", "a: no\nb: yes\nc: on\nd: off\ne: y\nf: N\n", `{"a":"no","b":"yes","c":"on","d":"off","e":"y","f":"N"}`},
		{"core booleans and nulls", "r.yaml", "a: true\nb: False\nc: TRUE\nd: null\ne: ~\nf: Null\ng:\n", `{"a":true,"b":false,"c":true,"d":null,"e":null,"f":null,"g":null}`},
		{"long numbers keep their literal", "r.yaml", "a: 12345678901234567890123\nb: 1.50\nc: -0\nd: 1E+02\n", `{"a":12345678901234567890123,"b":1.50,"c":-0,"d":1E+02}`},
		{"1.1 numbers are text in 1.2", "r.yaml", "a: 1_000\nb: 190:20:30\nc: 0b11\nd: 1.2.3\ne: '010'\n", `{"a":"1_000","b":"190:20:30","c":"0b11","d":"1.2.3","e":"010"}`},
		{"dates are text", "r.yaml", "until: 2026-12-31T00:00:00Z\n", `{"until":"2026-12-31T00:00:00Z"}`},
		{"quoted names", "r.yaml", "\"null\": 1\n'1': 2\n'<<': 3\n", `{"null":1,"1":2,"<<":3}`},
		{"block scalars", "r.yaml", "a: |\n  x\n   y\nb: >-\n  p\n  q\n", `{"a":"x\u000a y\u000a","b":"p q"}`},
		{"CRLF", "r.yaml", "a: 1\r\nb: |\r\n  x\r\n", `{"a":1,"b":"x\u000a"}`},
		{"YAML escapes", "r.yaml", `a: "\t\x07\u2028\U0001F602"`, "{\"a\":\"\\u0009\\u0007\u2028\U0001F602\"}"},
		{"tabs in a comment", "r.yaml", "# a\tb\na: 1 # c\td\n", `{"a":1}`},
		{"document markers", "r.yaml", "---\na: 1\n...\n", `{"a":1}`},
		{"the version it is read as", "r.yaml", "%YAML 1.2\n---\na: 1\n", `{"a":1}`},
		{"JSON in a .yaml file, surrogate pair", "r.yaml", "{\n\t\"a\": \"\\ud83d\\ude02\\/\"\n}", "{\"a\":\"\U0001F602/\"}"},
		{"JSON scalars", "r.json", `[null,true,false,-1.5e-3,"\"\\\b\f\n\r\t"]`, `[null,true,false,-1.5e-3,"\"\\\u0008\u000c\u000a\u000d\u0009"]`},
		{"JSON root of any type", "r.JSON", ` "x" `, `"x"`},
		{"a byte order mark inside a JSON string", "r.json", "\"\uFEFF\"", "\"\uFEFF\""},
		{"empty ones", "r.json", `{"a":{},"b":[ ]}`, `{"a":{},"b":[]}`},
		{"flow YAML that only looks like JSON", "r.yaml", `{"a": 'x', b: [1,2,],}`, `{"a":"x","b":[1,2]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := Parse(c.file, []byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(n.JSON()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if !json.Valid(n.JSON()) {
				t.Error("not JSON")
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)
	for _, c := range []struct{ name, file, src, want string }{
		{"null as a name", "r.yaml", "a: 1\nnull: 2\n", "r.yaml:2:1: a name that is null; names are strings"},
		{"number as a name", "r.yaml", "a: {1: 2}\n", "r.yaml:1:5: a name that is a number; names are strings"},
		{"boolean as a name", "r.yaml", "true: 2\n", "r.yaml:1:1: a name that is true or false; names are strings"},
		{"empty name", "r.yaml", "a: 1\n: 2\n", "r.yaml:2:1: an empty name; names are strings"},
		{"complex name", "r.yaml", "? [a]\n: 2\n", "r.yaml:1:3: a name that is a list; names are strings"},
		{"leading zero", "r.yaml", "version: 010\n", "r.yaml:1:10: a number that JSON cannot spell"},
		{"octal", "r.yaml", "v: 0o10\n", "r.yaml:1:4: a number that JSON cannot spell"},
		{"hexadecimal", "r.yaml", "v: 0xFF\n", "r.yaml:1:4: a number that JSON cannot spell"},
		{"leading plus", "r.yaml", "v: +1\n", "r.yaml:1:4: a number that JSON cannot spell"},
		{"no digit before the point", "r.yaml", "v: .5\n", "r.yaml:1:4: a number that JSON cannot spell"},
		{"no digit after the point", "r.yaml", "v: 1.\n", "r.yaml:1:4: a number that JSON cannot spell"},
		{"infinity", "r.yaml", "v: -.inf\n", "r.yaml:1:4: a number that JSON cannot spell"},
		{"not a number", "r.yaml", "v: .NaN\n", "r.yaml:1:4: a number that JSON cannot spell"},
		{"second document", "r.yaml", "a: 1\n---\nb: 2\n", "r.yaml:2:1: a second YAML document begins here"},
		{"empty second document", "r.yaml", "a: 1\n---\n", "r.yaml:2:1: a second YAML document begins here"},
		{"anchor", "r.yaml", "a: &x 1\n", "r.yaml:1:4: an anchor (&); anchors are not allowed"},
		{"anchor on a mapping", "r.yaml", "a: &x\n  b: 1\n", "r.yaml:1:4: an anchor (&); anchors are not allowed"},
		{"alias", "r.yaml", "- &x 1\n- *x\n", "r.yaml:1:3: an anchor (&); anchors are not allowed"},
		{"alias of nothing", "r.yaml", "a: *x\n", "r.yaml:1:4: not valid YAML: unknown anchor 'x' referenced"},
		{"merge key", "r.yaml", "<<: {a: 1}\n", "r.yaml:1:1: a merge key (<<); merge keys are not allowed"},
		{"tag", "r.yaml", "a: !!str 1\n", "r.yaml:1:4: a tag (!); tags are not allowed"},
		{"own tag", "r.yaml", "a: !x {b: 1}\n", "r.yaml:1:4: a tag (!); tags are not allowed"},
		{"the non-specific tag", "r.yaml", "a: ! 12\n", "r.yaml:1:4: a tag (!); tags are not allowed"},
		{"tag on a name", "r.yaml", "!!str a: 1\n", "r.yaml:1:1: a tag (!); tags are not allowed"},
		{"duplicate name", "r.yaml", "a: 1\nb: 2\n'a': 3\n", `r.yaml:3:1: duplicate name "a", first on line 1`},
		{"duplicate name, inner", "r.yaml", "x:\n  - {a: 1, a: 1}\n", `r.yaml:2:12: duplicate name "a", first on line 2`},
		{"byte order mark", "r.yaml", "\xef\xbb\xbfa: 1\n", "r.yaml:1:1: the file begins with a byte order mark"},
		{"byte order mark at a later line", "r.yaml", "a: 1\n\xef\xbb\xbfb: 1\n", "r.yaml:2:1: a byte order mark inside the file (U+FEFF)"},
		{"UTF-16", "r.yaml", "\xff\xfea\x00", "r.yaml:1:1: the file is UTF-16"},
		{"invalid UTF-8", "r.yaml", "a: 1\nb: x\xffy\n", "r.yaml:2:5: invalid UTF-8 (byte 0xFF)"},
		{"tab as indentation", "r.yaml", "a:\n\tb: 1\n", "r.yaml:2:1: a tab character (U+0009)"},
		{"tab as separation", "r.yaml", "a:\t1\n", "r.yaml:1:3: a tab character (U+0009)"},
		{"NEL", "r.yaml", "a: \"x\u0085y\"\n", "r.yaml:1:6: a line separator that YAML 1.1 and 1.2 read differently (U+0085)"},
		{"line separator", "r.yaml", "a: x\u2028b: y\n", "r.yaml:1:5: a line separator that YAML 1.1 and 1.2 read differently (U+2028)"},
		{"lone carriage return", "r.yaml", "a: 1\rb: 2\r", "r.yaml:1:5: a carriage return that ends no line (U+000D)"},
		{"NUL", "r.yaml", "a: \x00\n", "r.yaml:1:4: a control character (U+0000)"},
		{"YAML 1.1 by directive", "r.yaml", "%YAML 1.1\n---\na: no\n", "r.yaml:1:1: another YAML version; the file is read as YAML 1.2"},
		{"tag directive", "r.yaml", "%TAG ! !foo\n---\na: 1\n", "r.yaml:1:1: a directive; only %YAML 1.2 is allowed"},
		{"two directives", "r.yaml", "%YAML 1.2\n%YAML 1.2\n---\na: 1\n", "r.yaml:2:1: a second directive; only one %YAML 1.2 is allowed"},
		{"empty file", "r.yaml", "", "r.yaml:1:1: the file is empty"},
		{"nothing but a comment", "r.yaml", "# x\n", "r.yaml:1:1: the file is empty"},
		{"wrong indentation", "r.yaml", "a: 1\n  b: 2\n", "r.yaml:2:4: not valid YAML: mapping values are not allowed in this context"},
		{"surrogates in YAML", "r.yaml", "a: \"\\ud83d\\ude02\"\n", "r.yaml:1:7: not valid YAML: found invalid Unicode character escape code"},
		{"too deep", "r.yaml", deep, "r.yaml:1:1001: nested deeper than 1000"},
		{"too large", "r.yaml", strings.Repeat(" ", MaxSize+1), "r.yaml: the file has more than 4194304 bytes"},

		{"JSON: nothing", "r.json", " ", "r.json:1:2: the JSON text ends where a value should stand"},
		{"JSON: YAML", "r.json", "a: 1\n", "r.json:1:1: a JSON value should stand here"},
		{"JSON: comma at the end", "r.json", "{\"a\": 1,}", "r.json:1:9: a name in double quotes should stand here"},
		{"JSON: no comma", "r.json", "[1\n 2]", "r.json:2:2: a comma or ] should stand here"},
		{"JSON: no colon", "r.json", `{"a" 1}`, "r.json:1:6: a colon should stand here"},
		{"JSON: more text", "r.json", "{}\n{}", "r.json:2:1: text after the end of the JSON value"},
		{"JSON: leading zero", "r.json", "[01]", "r.json:1:2: not a JSON number"},
		{"JSON: hexadecimal", "r.json", "[0x1]", "r.json:1:3: a comma or ] should stand here"},
		{"JSON: infinity", "r.json", "[-Infinity]", "r.json:1:2: not a JSON number"},
		{"JSON: open string", "r.json", `["abc`, "r.json:1:2: a string that does not end"},
		{"JSON: open escape", "r.json", `["abc\`, "r.json:1:6: a string that does not end"},
		{"JSON: escape", "r.json", `["\x41"]`, "r.json:1:3: not an escape sequence of JSON"},
		{"JSON: signed escape", "r.json", `["\u+041"]`, "r.json:1:3: not an escape sequence of JSON"},
		{"JSON: line break in a string", "r.json", "[\"a\nb\"]", "r.json:1:4: a raw control character (0x0A) in a JSON string"},
		{"JSON: lone surrogate", "r.json", "[\n\"é\\ud83d\"]", `r.json:2:3: a lone surrogate (\ud83d) in a string`},
		{"JSON: surrogates the wrong way round", "r.yaml", `{"a": "\ude02\ud83d"}`, `r.yaml:1:8: a lone surrogate (\ude02) in a string`},
		{"JSON: duplicate name after unescaping", "r.yaml", `{"k": 1, "\u006b": 2}`, `r.yaml:1:10: duplicate name "k", first on line 1`},
		{"JSON: byte order mark", "r.json", "\xef\xbb\xbf{}", "r.json:1:1: the file begins with a byte order mark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := Parse(c.file, []byte(c.src))
			if err == nil {
				t.Fatalf("read as %s", n.JSON())
			}
			if err.Error() != c.want {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
			if _, ok := err.(*problem.Error); !ok {
				t.Errorf("a %T", err)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	for _, c := range []struct{ file, src string }{
		{"r.yaml", "é: {x: 1,\n    y: [é, b]}\nz: last\n"},
		{"r.json", "{\"é\": {\"x\": 1,\n\"y\": [\"é\", \"b\"]},\n\"z\": \"last\"}"},
	} {
		n, err := Parse(c.file, []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		where := map[string]string{
			"root": n.At(), "é": at(c.file, n.Members[0].Line, n.Members[0].Column),
			"x": n.Lookup("é").Lookup("x").At(), "b": n.Lookup("é").Lookup("y").Items[1].At(), "z": n.Lookup("z").At(),
		}
		want := map[string]string{"root": "r.yaml:1:1", "é": "r.yaml:1:1", "x": "r.yaml:1:8", "b": "r.yaml:2:12", "z": "r.yaml:3:4"}
		if c.file == "r.json" {
			want = map[string]string{"root": "r.json:1:1", "é": "r.json:1:2", "x": "r.json:1:13", "b": "r.json:2:12", "z": "r.json:3:6"}
		}
		for name := range want {
			if where[name] != want[name] {
				t.Errorf("%s: %s stands at %s, want %s", c.file, name, where[name], want[name])
			}
		}
	}
}

// FuzzParse holds the reader to its words: what it accepts it writes as JSON
// that reads as the same, and of JSON it accepts neither more nor less than
// RFC 8259 with its own four refusals.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1\nb: [x, {y: ~}]\n", `{"a":"\ud83d\ude02","b":[1e5,-0,null]}`, "? a\n: b\n", "a: |\n  x\n",
		"- &a 1\n- *a\n", "%YAML 1.2\n---\n...\n", "a: !!str b", "<<: {}", "[[[[", "\"\\u0000\"", "a: 'b\n\n  c'", "{a, b: , c: }", "0x1F", "é: ü # ö"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		for _, file := range []string{"f.json", "f.yaml"} {
			n, err := Parse(file, src)
			if file == "f.json" {
				checkJSON(t, src, err)
			}
			if err != nil {
				if !strings.HasPrefix(err.Error(), file+":") {
					t.Fatalf("no place in %q", err)
				}
				continue
			}
			text := n.JSON()
			again, err := Parse("again.json", text)
			if err != nil {
				t.Fatalf("%q reads as %q, which does not read: %v", src, text, err)
			}
			if string(again.JSON()) != string(text) {
				t.Fatalf("%q, then %q", text, again.JSON())
			}
		}
	})
}

func checkJSON(t *testing.T, src []byte, err error) {
	if err == nil && !json.Valid(src) {
		t.Fatalf("accepts %q", src)
	}
	if err == nil || !json.Valid(src) {
		return
	}
	for _, why := range []string{"duplicate name", "lone surrogate", "nested deeper", "invalid UTF-8"} {
		if strings.Contains(err.Error(), why) {
			return
		}
	}
	t.Fatalf("refuses %q: %v", src, err)
}
