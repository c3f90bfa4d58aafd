package determ

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

type vectorFile struct {
	Derive []struct {
		Name, Namespace, Operation, Prefix, Payload, ID, Short, UUID, UUID4, Hex, Base64URL string
		SecretHex                                                                           string `json:"secret_hex"`
		SubkeyHex                                                                           string `json:"subkey_hex"`
		TagHex                                                                              string `json:"tag_hex"`
		CanonicalIdentity                                                                   string `json:"canonical_identity"`
		Version                                                                             int
		Identity                                                                            json.RawMessage
	}
	DeriveByRecipe []recipeVector `json:"derive_by_recipe"`
	DeriveRefused  []recipeVector `json:"derive_refused"`
	KeysRefused    []struct{ Why, Format, Text string }
	KeyLines       []struct {
		Kid, Line, Check string
		SecretHex        string `json:"secret_hex"`
		SubkeyFor        []any  `json:"subkey_for"`
		SubkeyLine       string `json:"subkey_line"`
	} `json:"key_lines"`
}

type recipeVector struct {
	Name, Why, Payload, Answer string
	SecretHex                  string `json:"secret_hex"`
	CanonicalIdentity          string `json:"canonical_identity"`
	Recipe                     json.RawMessage
	Inputs                     map[string]json.RawMessage
}

func vectors(t testing.TB) vectorFile {
	t.Helper()
	src, err := os.ReadFile("../../testdata/vectors/determ-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectorFile
	if err := json.Unmarshal(src, &v); err != nil {
		t.Fatal(err)
	}
	var refused struct {
		Keys []struct{ Why, Format, Text string } `json:"keys_refused"`
	}
	if err := json.Unmarshal(src, &refused); err != nil {
		t.Fatal(err)
	}
	v.KeysRefused = refused.Keys
	return v
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func secretOf(t testing.TB, kid, hexText string) *Secret {
	t.Helper()
	s, err := NewSecret(kid, unhex(t, hexText))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func inputsOf(t testing.TB, raw map[string]json.RawMessage) Inputs {
	t.Helper()
	in := Inputs{}
	for name, src := range raw {
		v, err := fingerprint.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		in[name] = v
	}
	return in
}

func TestVectorsDerive(t *testing.T) {
	v := vectors(t)
	if len(v.Derive) == 0 {
		t.Fatal("no vectors")
	}
	for _, c := range v.Derive {
		t.Run(c.Name, func(t *testing.T) {
			secret := secretOf(t, "k1", c.SecretHex)
			want := map[Encoding]string{ID: c.ID, Short: c.Short, UUID: c.UUID, UUID4: c.UUID4, Hex: c.Hex, Base64URL: c.Base64URL}
			for encoding, id := range want {
				src := fmt.Sprintf(`{"idem":"recipe/v1","namespace":%q,"operation":%q,"version":%d,"prefix":%q,"boundary":"b","identity":%s,"key":{"kid":"k1","env":"K"},"encode":%q}`,
					c.Namespace, c.Operation, c.Version, c.Prefix, c.Identity, encoding)
				r, err := Parse("r.json", []byte(src))
				if err != nil {
					t.Fatal(err)
				}
				d, err := r.DeriveText([]byte(c.Payload), nil, secret)
				if err != nil {
					t.Fatal(err)
				}
				if d.ID != id {
					t.Errorf("%s: got %s, want %s", encoding, d.ID, id)
				}
				if got := string(d.Selected.Canonical); got != c.CanonicalIdentity {
					t.Errorf("canonical identity: got %s, want %s", got, c.CanonicalIdentity)
				}
				sk, err := secret.Subkey(r.Triple)
				if err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprintf("%x", sk.get()); got != c.SubkeyHex {
					t.Errorf("subkey: got %s, want %s", got, c.SubkeyHex)
				}
				if tag := sk.Tag(d.Selected.Canonical); hex.EncodeToString(tag[:]) != c.TagHex {
					t.Errorf("tag: got %x, want %s", tag, c.TagHex)
				}
			}
		})
	}
}

func TestVectorsDeriveByRecipe(t *testing.T) {
	v := vectors(t)
	if len(v.DeriveByRecipe) == 0 {
		t.Fatal("no vectors")
	}
	for _, c := range v.DeriveByRecipe {
		t.Run(c.Name, func(t *testing.T) {
			// The same recipe as JSON and, JSON being YAML, by the YAML reader.
			for _, file := range []string{"r.json", "r.yaml"} {
				src := []byte(c.Recipe)
				if file == "r.yaml" {
					src = append([]byte("# yaml\n"), src...)
				}
				r, err := Parse(file, src)
				if err != nil {
					t.Fatal(err)
				}
				d, err := r.DeriveText([]byte(c.Payload), inputsOf(t, c.Inputs), secretOf(t, "k1", c.SecretHex))
				if err != nil {
					t.Fatal(err)
				}
				if d.ID != c.Answer || string(d.Selected.Canonical) != c.CanonicalIdentity {
					t.Errorf("got %s of %s\nwant %s of %s", d.ID, d.Selected.Canonical, c.Answer, c.CanonicalIdentity)
				}
			}
		})
	}
}

// reasons are what each refusal must say, so that none is right by accident.
var reasons = map[string]string{
	"absent field":                            `/b: identity field "a" is absent`,
	"null field":                              `/a: identity field "a" is null`,
	"declared type":                           `/a: identity field "a" is of type number, and the recipe says string`,
	"lossy number in the identity":            `/a: `,
	"overflow anywhere":                       `/z: `,
	"duplicate name anywhere":                 `/z/k: the object has this name twice`,
	"bad pointer":                             `not a JSON Pointer`,
	"pointer without slash":                   `not a JSON Pointer`,
	"array index with a leading zero":         `/a/01: identity field "a" is absent`,
	"transform on a number":                   `/a: identity field "a" is a number, and transforms work on strings`,
	"unknown transform":                       `"lowercase/v1" is not a known transform`,
	"unknown key":                             `unknown key "colour" in the recipe`,
	"no boundary":                             `boundary is missing`,
	"empty boundary":                          `boundary is empty`,
	"empty identity":                          `identity is empty`,
	"version zero":                            `version must be from 1 to 999999`,
	"version as text":                         `version must be a whole number, not a string`,
	"version too large":                       `version must be from 1 to 999999`,
	"namespace with capitals":                 `namespace must be lower-case`,
	"prefix with underscore":                  `prefix must be a lower-case letter`,
	"limit too short for the encoding":        `it has 64 characters and the limit is 36`,
	"alphabet without the hyphen":             `it may hold "-", which the alphabet lacks`,
	"missing input":                           `input "t": identity field "t" is absent`,
	"input that the recipe does not name":     `input "t": the recipe names no such input`,
	"one character wrong":                     `damaged or cut: its checksum does not hold`,
	"cut short":                               `damaged or cut: its checksum has not 7 characters`,
	"other kid than the recipe":               `the key is called k9, and kid k1 is wanted`,
	"a non-canonical last checksum character": `damaged or cut: its last characters are not in canonical form`,
	"hex with a typo":                         `not hexadecimal of even length`,
	"odd hex":                                 `not hexadecimal of even length`,
	"31 bytes":                                `the secret has 31 bytes; it needs 32 or more`,
	"two lines":                               `not hexadecimal of even length on one line`,
	"byte order mark":                         `not hexadecimal of even length`,
	"printable raw":                           `a raw key of nothing but printable characters`,
}

func TestVectorsDeriveRefused(t *testing.T) {
	v := vectors(t)
	if len(v.DeriveRefused) == 0 {
		t.Fatal("no vectors")
	}
	for _, c := range v.DeriveRefused {
		t.Run(c.Why, func(t *testing.T) {
			r, err := Parse("r.json", c.Recipe)
			if err == nil {
				_, err = r.DeriveText([]byte(c.Payload), inputsOf(t, c.Inputs), secretOf(t, "k1", c.SecretHex))
			}
			checkReason(t, c.Why, err)
		})
	}
}

func TestVectorsKeysRefused(t *testing.T) {
	v := vectors(t)
	if len(v.KeysRefused) == 0 {
		t.Fatal("no vectors")
	}
	for _, c := range v.KeysRefused {
		t.Run(c.Why, func(t *testing.T) {
			_, err := KeySpec{Kid: "k1", Format: KeyFormat(c.Format)}.ReadKeyText([]byte(c.Text), nil)
			checkReason(t, c.Why, err)
			if err != nil && (strings.Contains(err.Error(), c.Text) || strings.Contains(err.Error(), c.Text[len(c.Text)-20:])) {
				t.Error("the error shows the key")
			}
		})
	}
}

func checkReason(t *testing.T, why string, err error) {
	t.Helper()
	reason, known := reasons[why]
	switch {
	case !known:
		t.Fatalf("no reason is known for %q: %v", why, err)
	case err == nil:
		t.Fatal("accepted")
	case !strings.Contains(err.Error(), reason):
		t.Fatalf("refused as %q, want %q", err, reason)
	}
}

func TestVectorsKeyLines(t *testing.T) {
	v := vectors(t)
	if len(v.KeyLines) == 0 {
		t.Fatal("no vectors")
	}
	for _, c := range v.KeyLines {
		triple := Triple{c.SubkeyFor[0].(string), c.SubkeyFor[1].(string), int(c.SubkeyFor[2].(float64))}
		spec := KeySpec{Kid: c.Kid, Format: FormatIdemkey, Check: c.Check}
		s, err := spec.ReadKeyText([]byte(c.Line), nil)
		if err != nil {
			t.Fatal(err)
		}
		if hex.EncodeToString(s.get().bytes) != c.SecretHex {
			t.Errorf("%s: another secret", c.Kid)
		}
		if line, err := s.Line(); err != nil || line != c.Line {
			t.Errorf("%s: another line, %v", c.Kid, err)
		}
		if check, err := s.Check(); err != nil || check != c.Check {
			t.Errorf("%s: check %s, want %s, %v", c.Kid, check, c.Check, err)
		}
		if line, err := s.SubkeyLine(triple); err != nil || line != c.SubkeyLine {
			t.Errorf("%s: another subkey line, %v", c.Kid, err)
		}
		sub, err := spec.ReadKeyText([]byte(c.SubkeyLine+"\r\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		fromSecret, _ := s.Subkey(triple)
		if fromLine, err := sub.Subkey(triple); err != nil || fromLine.get() != fromSecret.get() {
			t.Errorf("%s: the subkey line gives another subkey, %v", c.Kid, err)
		}
		triple.Version++
		if _, err := sub.Subkey(triple); err == nil || !strings.Contains(err.Error(), "for another namespace, operation or version") {
			t.Errorf("%s: the subkey serves another triple: %v", c.Kid, err)
		}
	}
}
