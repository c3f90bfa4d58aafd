package determ

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// whole is a recipe that uses every member; tests take and change lines of it.
const whole = `idem: recipe/v1
namespace: acme.payments
operation: checkout.charge
version: 2
prefix: chg
boundary: One charge for each tenant, cart and cart version.
identity:
  cart: /cart/id
  cart_version: {pointer: /cart/version, type: integer, when_null: refuse, when_absent: refuse, transform: []}
  tenant: {input: tenant, transform: [trim/v1, nfc/v1]}
encode: id
numbers: strict
sensitive: [/customer/email]
key: {kid: k2, env: IDEM_KEY}
limits: {preset: stripe}
next: [{version: 3, identity: {cart: /cart/id}}]
previous: [{version: 1, until: 2026-12-31T00:00:00Z, key: {kid: k1, env: IDEM_KEY_OLD}}]
example: {payload: {cart: {id: c_1, version: 1}}, inputs: {tenant: acme}, id: chg_2_x}
`

// with gives the whole recipe with the line that begins like the new one
// replaced; an empty rest takes the line out.
func with(t testing.TB, line string) string {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimLeft(line, " "), ":")
	lines := strings.Split(whole, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimLeft(l, " "), name+":") {
			lines[i] = line
			if strings.TrimSpace(line) == name+":" {
				lines = append(lines[:i], lines[i+1:]...)
			}
			return strings.Join(lines, "\n")
		}
	}
	t.Fatalf("no line %s", name)
	return ""
}

func TestParseWhole(t *testing.T) {
	r, err := Parse("r.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if r.Triple != (Triple{"acme.payments", "checkout.charge", 2}) || r.Prefix != "chg" || r.Encode != ID || r.Key.Kid != "k2" ||
		r.Key.Format != FormatIdemkey || r.Limits.MaxLength != 255 || len(r.Sensitive) != 1 || r.Example.ID != "chg_2_x" {
		t.Errorf("%+v", r)
	}
	if e := r.Identity[1]; e.Name != "cart_version" || e.Type != "integer" || e.Pointer.String() != "/cart/version" || e.AllowNull || e.OmitAbsent {
		t.Errorf("%+v", e)
	}
	if e := r.Identity[2]; e.Input != "tenant" || len(e.Transforms) != 2 || e.Pointer != nil {
		t.Errorf("%+v", e)
	}
	states := ""
	for _, l := range r.All() {
		states += string(l.State) + " " + l.Recipe.Triple.String() + " " + l.Recipe.Key.Kid + " " + itoa(len(l.Recipe.Identity)) + "\n"
	}
	if states != "current acme.payments/checkout.charge/2 k2 3\nnext acme.payments/checkout.charge/3 k2 1\nprevious acme.payments/checkout.charge/1 k1 3\n" {
		t.Error(states)
	}
}

func TestParseKeeps(t *testing.T) {
	for name, line := range map[string]string{
		"no encode, the default":         "encode:",
		"no sensitive":                   "sensitive:",
		"nothing is sensitive":           "sensitive: []",
		"no limits":                      "limits:",
		"own limits":                     `limits: {max_length: 64, min_length: 16, alphabet: "0-9a-z_"}`,
		"no example":                     "example:",
		"an example without id":          "example: {payload: 1}",
		"a key file":                     "key: {kid: k2, file: ../keys/k2, mode: any, format: hex}",
		"a key file of base64":           "key: {kid: k2, file: k2, format: base64}",
		"a descriptor":                   "key: {kid: k2, fd: 3, format: raw}",
		"standard input":                 "key: {kid: k2, fd: 0}",
		"a command":                      "key: {kid: k2, command: [pass, show, idem/k2]}",
		"a passphrase":                   "key: {kid: k2, file: k2, passphrase: {env: PP}}",
		"a check value":                  "key: {kid: k2, env: K, check: 6j96x785}",
		"the longest names":              "namespace: " + strings.Repeat("a", 64),
		"joints":                         "operation: a.b_c-d.0",
		"the last version":               "version: 999999",
		"the longest prefix":             "prefix: a234567890123456",
		"the whole payload as one field": `  cart: ""`,
		"rounding":                       "numbers: ieee754",
		"an until with an offset":        "previous: [{version: 1, until: 2026-12-31T00:00:00+02:00}]",
		"another secret, same version":   "previous: [{until: 2026-12-31T00:00:00Z, key: {kid: k1, env: K}}]",
		"every encoding fits":            "encode: base64url",
	} {
		if _, err := Parse("r.yaml", []byte(with(t, line))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ line, want, hint string }{
		{"idem: recipe/v2", `r.yaml:1:7: "recipe/v2" is not a recipe that this idem reads`, "idem: recipe/v1"},
		{"idem:", "r.yaml:1:1: idem is missing in the recipe", ""},
		{"namespace:", "r.yaml:1:1: namespace is missing in the recipe", ""},
		{"namespace: acme..payments", "r.yaml:2:12: namespace must be lower-case letters", "namespace: acme.payments"},
		{"namespace: .acme", "r.yaml:2:12: namespace must be lower-case letters", "namespace: acme.payments"},
		{"namespace: acme-", "r.yaml:2:12: namespace must be lower-case letters", "namespace: acme.payments"},
		{"namespace: ''", "r.yaml:2:12: namespace must be lower-case letters", "namespace: acme.payments"},
		{"namespace: no", "", ""}, // text in YAML 1.2, and a good name
		{"namespace: null", "r.yaml:2:12: namespace must be a string, not null", ""},
		{"namespace: 12", "r.yaml:2:12: namespace must be a string, not a number", "put the value in quotes"},
		{"namespace: " + strings.Repeat("a", 65), "r.yaml:2:12: namespace must be lower-case letters", "namespace: acme.payments"},
		{"operation: charge now", "r.yaml:3:12: operation must be lower-case letters", "operation: checkout.charge"},
		{"version: 010", "r.yaml:4:10: a number that JSON cannot spell", ""},
		{"version: 1.0", "r.yaml:4:10: version must be a whole number, written in digits alone", ""},
		{"version: 1e3", "r.yaml:4:10: version must be a whole number, written in digits alone", ""},
		{"version: -1", "r.yaml:4:10: version must be from 1 to 999999", ""},
		{"version:", "r.yaml:1:1: version is missing in the recipe", ""},
		{"prefix: 1chg", "r.yaml:5:9: prefix must be a lower-case letter, then up to 15", "prefix: chg"},
		{"prefix: a2345678901234567", "r.yaml:5:9: prefix must be a lower-case letter, then up to 15", "prefix: chg"},
		{"prefix:", "r.yaml:1:1: prefix is missing in the recipe", ""},
		{"boundary:", "r.yaml:1:1: boundary is missing in the recipe", "boundary: One charge for each tenant, cart and cart version."},
		{"boundary: '  '", "r.yaml:6:11: boundary is empty", "boundary: One charge for each tenant, cart and cart version."},
		{"boundary: [a]", "r.yaml:6:11: boundary must be a string, not a list", ""},
		{"encode: base64", `r.yaml:11:9: "base64" is not a known encode`, `did you mean "base64url"?`},
		{"encode: uuid5", `r.yaml:11:9: "uuid5" is not a known encode`, `did you mean "uuid"?`},
		{"numbers: loose", `r.yaml:12:10: "loose" is not a known numbers`, "one of strict, ieee754"},
		{"sensitive: [email]", "r.yaml:13:13: not a JSON Pointer", ""},
		{"sensitive: /email", "r.yaml:13:12: sensitive must be a list of strings, not a string", ""},
		{"  cart: cart/id", "r.yaml:8:9: not a JSON Pointer", ""},
		{"  cart: 3", `r.yaml:8:9: the identity field "cart" must be a pointer or an object, not a number`, `"cart": /cart/id`},
		{"  cart: {}", `r.yaml:8:9: the identity field "cart" needs a pointer or an input, one of the two`, ""},
		{"  cart: {pointer: /a, input: b}", `r.yaml:8:9: the identity field "cart" needs a pointer or an input, one of the two`, ""},
		{"  cart: {pointer: 1}", `r.yaml:8:19: pointer must be a string, not a number`, ""},
		{"  cart: {pointer: /a, typ: string}", `r.yaml:8:23: unknown key "typ" in the identity field "cart"`, `did you mean "type"?`},
		{"  cart: {pointer: /a, type: text}", `r.yaml:8:29: "text" is not a known type`, ""},
		{"  cart: {pointer: /a, when_null: omit}", `r.yaml:8:34: "omit" is not a known when_null`, ""},
		{"  cart: {pointer: /a, when_absent: allow}", `r.yaml:8:36: "allow" is not a known when_absent`, ""},
		{"  cart: {pointer: /a, transform: nfc/v1}", `r.yaml:8:34: transform must be a list of strings, not a string`, ""},
		{"  cart: {pointer: /a, transform: [nfc/v2]}", `r.yaml:8:35: "nfc/v2" is not a known transform`, `did you mean "nfc/v1"?`},
		{"  cart: {pointer: /a, type: integer, transform: [trim/v1]}", `is integer, and transforms work on strings`, ""},
		{"  cart: {input: ''}", `r.yaml:8:17: the name of an input is not empty and holds no =`, ""},
		{"  cart: {input: a=b}", `r.yaml:8:17: the name of an input is not empty and holds no =`, ""},
		{"  tenant: /a\n  cart: /b", `r.yaml:11:3: duplicate name "cart", first on line 8`, ""},
		{"key:", "r.yaml:1:1: key is missing in the recipe", ""},
		{"key: IDEM_KEY", "r.yaml:14:6: key must be an object, not a string", ""},
		{"key: {kid: k2}", "r.yaml:14:6: key needs one source of env, file, fd, command; it has 0", ""},
		{"key: {kid: k2, env: K, file: k}", "r.yaml:14:6: key needs one source", ""},
		{"key: {env: K}", "r.yaml:14:6: kid is missing in key", ""},
		{"key: {kid: K2, env: K}", "r.yaml:14:12: kid must be 1 to 16 lower-case letters and digits", "kid: k1"},
		{"key: {kid: k2, env: idemkey1-k2-abc}", "r.yaml:14:21: env must be the name of an environment variable, not a value", "env: IDEM_KEY"},
		{"key: {kid: k2, fd: 1}", "r.yaml:14:20: descriptor 1 is for output", "fd: 3"},
		{"key: {kid: k2, fd: '3'}", "r.yaml:14:20: fd must be a whole number, not a string", ""},
		{"key: {kid: k2, file: ''}", "r.yaml:14:22: file must be a path", ""},
		{"key: {kid: k2, command: pass show}", "r.yaml:14:25: command must be a list of strings, not a string", ""},
		{"key: {kid: k2, command: []}", "r.yaml:14:25: command must be a program and its arguments", ""},
		{"key: {kid: k2, env: K, mode: any}", "r.yaml:14:30: mode is for a key file alone", ""},
		{"key: {kid: k2, file: k, mode: 0444}", "r.yaml:14:31: a number that JSON cannot spell", ""},
		{"key: {kid: k2, file: k, mode: '0444'}", `r.yaml:14:31: "0444" is not a known mode`, "mode: any"},
		{"key: {kid: k2, env: K, format: pem}", `r.yaml:14:32: "pem" is not a known format`, ""},
		{"key: {kid: k2, env: K, check: abc}", "r.yaml:14:31: check must be the 8 characters", ""},
		{"key: {kid: k2, env: K, check: 6j96x78u}", "r.yaml:14:31: check must be the 8 characters", ""},
		{"key: {kid: k2, env: K, passphrase: P}", "r.yaml:14:36: passphrase must be an object, not a string", ""},
		{"key: {kid: k2, env: K, passphrase: {}}", "r.yaml:14:36: passphrase needs one source", ""},
		{"key: {kid: k2, env: K, format: hex, passphrase: {env: P}}", "r.yaml:14:49: a passphrase opens idemkeyx1 lines alone, and the format is hex", ""},
		{"key: {kid: k2, env: K, secret: hunter2}", `r.yaml:14:24: unknown key "secret" in key`, ""},
		{"key: {kid: k2, idemkey1-k2-aaaaaaaaaaaa: x}", "r.yaml:14:16: unknown key «secret» in key", ""},
		{"limits: {preset: strip}", `r.yaml:15:18: "strip" is not a known preset`, `did you mean "stripe"?`},
		{"limits: {preset: stripe, max_length: 3}", "r.yaml:15:9: limits are a preset, or max_length, min_length and alphabet, not both", ""},
		{"limits: {preset: google-cloud}", "r.yaml:15:9: an ID of encoding id is outside the limits: it has 38 characters and the limit is 36", "encode: short"},
		{"limits: {preset: amazon-pay}", "r.yaml:15:9: an ID of encoding id is outside the limits: it has 38 characters and the limit is 32", "encode: short"},
		{"limits: {max_length: 0}", "r.yaml:15:22: max_length must be from 1 to 65536", ""},
		{"limits: {max_length: 64, min_length: 65}", "r.yaml:15:9: min_length is above max_length", ""},
		{"limits: {min_length: 39}", "it has 38 characters and the least is 39", ""},
		{`limits: {alphabet: "z-a"}`, `r.yaml:15:20: alphabet has the range "z-a", which runs backwards`, ""},
		{`limits: {alphabet: ""}`, "r.yaml:15:20: alphabet is empty", ""},
		{`limits: {alphabet: "a-z"}`, `it may hold "0123456789_", which the alphabet lacks`, ""},
		{"next: {version: 3}", "r.yaml:16:7: next must be a list, not an object", ""},
		{"next: [{version: 3, until: 2026-12-31T00:00:00Z}]", `r.yaml:16:21: unknown key "until" in the next version`, ""},
		{"next: [{version: 2, prefix: pay}]", "r.yaml:16:8: the next version is acme.payments/checkout.charge/2 like the current one, with another prefix, encode, numbers or identity", "give it a version of its own"},
		{"next: [{version: 2}]", "r.yaml:16:8: the next version is the current one again: same version, same kid", ""},
		{"next: [{version: 0}]", "r.yaml:16:18: version must be from 1 to 999999", ""},
		{"next: [{version: 3, limits: {preset: worldline}, encode: hex}]", "it has 64 characters and the limit is 40", ""},
		{"previous: [{version: 1}]", "r.yaml:17:12: until is missing in the previous version", ""},
		{"previous: [{version: 1, until: 2026-12-31}]", "r.yaml:17:32: until must be a time of RFC 3339", "until: 2026-12-31T00:00:00Z"},
		{"previous: [{version: 1, until: 2026-12-31T00:00:00Z, previous: []}]", `r.yaml:17:54: unknown key "previous" in the previous version`, ""},
		{"example: {id: x}", "r.yaml:18:10: payload is missing in example", ""},
		{"example: {payload: 1, inputs: [a]}", "r.yaml:18:31: inputs must be an object, not a list", ""},
		{"example: {payload: 1, id: 3}", "r.yaml:18:27: id must be a string, not a number", ""},
		{"example: {payload: 1}\ncolour: red", `r.yaml:19:1: unknown key "colour" in the recipe`, ""},
		{"example: {payload: 1}\n---\na: 1", `r.yaml:19:1: a second YAML document begins here`, ""},
	} {
		_, err := Parse("r.yaml", []byte(with(t, c.line)))
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.line, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", c.line, err, c.want)
			continue
		}
		if c.hint != "" && problem.Hint(err) != c.hint {
			t.Errorf("%s: hint %q, want %q", c.line, problem.Hint(err), c.hint)
		}
		if problem.Hint(err) == "" {
			t.Errorf("%s: no hint: %s", c.line, err)
		}
	}
}

// Whatever is missing or of a wrong type, the hint says how it is written: in
// its place the recipe can be read.
func TestHintsOfRecipesAreRight(t *testing.T) {
	for _, name := range members {
		for _, value := range []string{"", " 7", " x y", " null", " []", " {}", " [1]", " {a: 1}", " true"} {
			line := name + ":" + value
			if name == "identity" {
				continue // it has lines of its own, below
			}
			_, err := Parse("r.yaml", []byte(with(t, line)))
			if err == nil {
				continue
			}
			hint := problem.Hint(err)
			fixed, _, _ := strings.Cut(hint, ", or ")
			if !strings.HasPrefix(fixed, name+": ") {
				if hint == "" {
					t.Errorf("%s: no hint: %s", line, err)
				}
				continue
			}
			src := whole
			if name == "version" || name == "next" {
				src = with(t, "previous:") // the sample is of its version
			}
			at := strings.Index("\n"+src, "\n"+name+":")
			end := at + strings.Index(src[at:], "\n")
			if _, err := Parse("r.yaml", []byte(strings.Replace(src[:at]+fixed+src[end:], "next: [{version: 2", "next: [{version: 4", 1))); err != nil {
				t.Errorf("%s: with its hint %q: %s", line, fixed, err)
			}
		}
	}
	for _, part := range []string{"{cart: 1}", "{cart: {pointer: 1}}", "{cart: {input: 1}}", "{cart: {pointer: /a, type: 1}}", "{cart: {pointer: /a, transform: 1}}",
		"{cart: {pointer: /a, when_null: 1}}", "{cart: []}", "{cart: null}", "[]", "{}", "x", "null"} {
		_, err := Parse("r.yaml", []byte(linted(part, "")))
		if err == nil || problem.Hint(err) == "" {
			t.Errorf("%s: no hint: %v", part, err)
		}
	}
}

// What is no recipe at all is told so before anything is said of its members.
func TestParseKnowsOtherFiles(t *testing.T) {
	for src, want := range map[string]string{
		"idem: contract/v1\nname: x":        "r.yaml:1:7: this is a contract, not a recipe",
		"idem: recipe/v2\nname: x":          `r.yaml:1:7: "recipe/v2" is not a recipe that this idem reads`,
		"idme: recipe/v1":                   `r.yaml:1:1: unknown key "idme" in the recipe`,
		`{"cart": {"id": "c"}}`:             "r.yaml:1:1: this is no recipe: it does not say idem: recipe/v1",
		"idme: recipe/v1\nnamespace: a.b":   `r.yaml:1:1: unknown key "idme" in the recipe`,
		"[]":                                "r.yaml:1:1: the recipe must be an object, not a list",
		"- a":                               "r.yaml:1:1: the recipe must be an object, not a list",
		"idem: recipe/v1":                   "r.yaml:1:1: namespace is missing in the recipe",
		"idem: [recipe/v1]\nnamespace: a.b": "r.yaml:1:7: idem must be a string, not a list",
	} {
		_, err := Parse("r.yaml", []byte(src))
		if err == nil || err.Error() != want || problem.Hint(err) == "" {
			t.Errorf("%q: %v, hint %q", src, err, problem.Hint(err))
		}
	}
}

func TestPresets(t *testing.T) {
	for _, name := range presetNames() {
		l, ok := preset(name)
		if !ok {
			t.Errorf("%s is not known", name)
		}
		if _, wrong := alphabetRanges(l.Alphabet); l.Alphabet != "" && wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		// Each of them takes the 32 characters of the short encoding.
		if why := l.refuse(Short.length("", 1), Short.characters("")); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	if _, ok := preset("nobody"); ok {
		t.Error("an unknown preset")
	}
}

func TestAlphabet(t *testing.T) {
	for _, c := range []struct{ alphabet, of, outside string }{
		{"0-9a-f-", "09af-", ""}, {"0-9a-f-", "gG_", "G_g"}, {"-a", "-a", ""}, {"a-c", "b-", "-"}, {"a-", "b", "b"}, {"", "anything", ""}, {"é-ü", "ü", ""},
	} {
		if got := (Limits{Alphabet: c.alphabet}).outside(c.of); got != c.outside {
			t.Errorf("%q of %q: %q, want %q", c.alphabet, c.of, got, c.outside)
		}
	}
}

// FuzzParse: whatever is read as a recipe reads the same from its JSON form.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	for _, v := range vectors(f).DeriveByRecipe {
		f.Add([]byte(v.Recipe))
	}
	for _, v := range vectors(f).DeriveRefused {
		f.Add([]byte(v.Recipe))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<14 {
			return
		}
		r, err := Parse("r.yaml", src)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "r.yaml:") {
				t.Fatalf("no place in %q", err)
			}
			return
		}
		if !IsName(r.Namespace) || !IsName(r.Operation) || r.Version < 1 || r.Version > maxVersion || r.Boundary == "" || len(r.Identity) == 0 {
			t.Fatalf("accepted %+v", r)
		}
		n, err := document.Parse("r.yaml", src)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("r.json", n.JSON())
		if err != nil || again.Digest() != r.Digest() || again.Triple != r.Triple {
			t.Fatalf("as JSON: %v", err)
		}
		if _, err := Lint("r.yaml", src, LintOptions{}); err != nil {
			t.Fatal(err)
		}
	})
}
