package determ

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

const testHex = "726f995633f10426d7ae8ffe14e52d30f658053f4f013cc6850998e96e984130"

func TestKeyFormatsRead(t *testing.T) {
	raw := unhex(t, testHex)
	line := "idemkey1-k1-ojxzsvrt6eccnv5or77bjzjngd3fqbj7j4atzrufbgmos3uyieya-3x4on6a"
	for _, c := range []struct {
		format KeyFormat
		text   string
	}{
		{FormatIdemkey, line}, {FormatIdemkey, line + "\n"}, {FormatIdemkey, line + "\r\n"},
		{FormatHex, testHex}, {FormatHex, strings.ToUpper(testHex) + "\n"},
		{FormatBase64, base64.StdEncoding.EncodeToString(raw) + "\r\n"}, {FormatRaw, string(raw)},
	} {
		s, err := KeySpec{Kid: "k1", Format: c.format}.ReadKeyText([]byte(c.text), nil)
		if err != nil || !bytes.Equal(s.get().bytes, raw) || s.Kid() != "k1" {
			t.Errorf("%s %q: %v", c.format, c.text, err)
		}
	}
	if s, err := (KeySpec{Format: FormatIdemkey}).ReadKeyText([]byte(line), nil); err != nil || s.Kid() != "k1" {
		t.Errorf("the line's own kid: %v", err)
	}
	// Raw drops nothing: the last byte may be a line feed.
	s, err := KeySpec{Kid: "k1", Format: FormatRaw}.ReadKeyText(append(bytes.Clone(raw[:31]), '\n'), nil)
	if err != nil || len(s.get().bytes) != 32 || s.get().bytes[31] != '\n' {
		t.Errorf("raw: %v", err)
	}
}

func TestKeyFormatsRefuse(t *testing.T) {
	line := "idemkey1-k1-ojxzsvrt6eccnv5or77bjzjngd3fqbj7j4atzrufbgmos3uyieya-3x4on6a"
	b64 := base64.StdEncoding.EncodeToString(unhex(t, testHex))
	for _, c := range []struct {
		format     KeyFormat
		text, want string
	}{
		{FormatIdemkey, "", "the key is empty"},
		{FormatIdemkey, "\n", "the key is empty"},
		{FormatIdemkey, testHex, "the key is no idemkey line"},
		{FormatIdemkey, " " + line, "the key is no idemkey line"},
		{FormatIdemkey, line + " ", "its checksum has not 7 characters"},
		{FormatIdemkey, line + "\n\n", "its checksum has not 7 characters"},
		{FormatIdemkey, strings.ToUpper(line), "the key is no idemkey line"},
		{FormatIdemkey, strings.Replace(line, "k1", "K1", 1), "its kid is not"},
		{FormatIdemkey, strings.Replace(line, "k1", "", 1), "its kid is not"},
		{FormatIdemkey, strings.Replace(line, "k1-", "k1-a", 1), "its checksum does not hold"},
		{FormatIdemkey, strings.Replace(line, "ya-", "yb-", 1), "not in canonical form"},
		{FormatIdemkey, strings.Replace(line, "oj", "OJ", 1), "not of the base32 alphabet"},
		{FormatIdemkey, strings.Replace(line, "oj", "0j", 1), "not of the base32 alphabet"},
		{FormatIdemkey, strings.Replace(line, "idemkey1", "idemkey2", 1), "the key is no idemkey line"},
		{FormatIdemkey, line + "-x", "it has not three parts"},
		{FormatIdemkey, strings.Replace(line, "idemkey1", "idemkeyx1", 1), "its checksum does not hold"},
		{FormatIdemkey, strings.Repeat("a", MaxKeyText+1), "the key has more than 65536 bytes"},
		{FormatHex, testHex + "\n\n", "not hexadecimal"},
		{FormatHex, " " + testHex, "not hexadecimal"},
		{FormatHex, "0x" + testHex, "not hexadecimal"},
		{FormatHex, testHex[:62], "the secret has 31 bytes"},
		{FormatBase64, strings.TrimRight(b64, "="), "not padded base64"},
		{FormatBase64, b64[:20] + "\n" + b64[20:], "not padded base64"},
		{FormatBase64, b64 + "\r\r\n", "not padded base64"},
		{FormatBase64, strings.NewReplacer("+", "-", "/", "_").Replace(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xFB, 0xEF}, 16))), "not padded base64"},
		{FormatBase64, b64[:len(b64)-2] + "B=", "not padded base64"}, // bits behind the last byte
		{FormatRaw, "", "nothing but printable characters"},
		{FormatRaw, testHex + "\n", "nothing but printable characters"},
		{FormatRaw, "\x00short", "the secret has 6 bytes"},
	} {
		_, err := KeySpec{Kid: "k1", Format: c.format}.ReadKeyText([]byte(c.text), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %s", c.format, c.text, err, c.want)
		}
	}
}

func TestCheckValue(t *testing.T) {
	spec := KeySpec{Kid: "k1", Format: FormatHex, Check: "6j96x785"}
	if _, err := spec.ReadKeyText([]byte(testHex), nil); err != nil {
		t.Error(err)
	}
	_, err := spec.ReadKeyText([]byte(strings.Replace(testHex, "7", "8", 1)), nil)
	if err == nil || !strings.Contains(err.Error(), "the wrong secret was loaded: the check value of kid k1 is ") {
		t.Error(err)
	}
	spec.Kid = "k2" // the kid is in the check value
	if _, err := spec.ReadKeyText([]byte(testHex), nil); err == nil {
		t.Error("another kid passes")
	}
}

func TestSubkeysDoOneThing(t *testing.T) {
	triple := Triple{"acme.payments", "checkout.charge", 1}
	line, err := TestSecret("k1").SubkeyLine(triple)
	if err != nil {
		t.Fatal(err)
	}
	// A check value is of the secret; a subkey is held by its own checksum.
	sub, err := KeySpec{Kid: "k1", Format: FormatIdemkey, Check: "aaaaaaaa"}.ReadKeyText([]byte(line), nil)
	if err != nil || !sub.IsSubkey() {
		t.Fatal(err)
	}
	if _, err := sub.Keyed("acme.payments"); err == nil || !strings.Contains(err.Error(), "no fingerprints") {
		t.Error(err)
	}
	if _, err := sub.Check(); err == nil {
		t.Error("a subkey has a check value")
	}
	if _, err := sub.Line(); err == nil {
		t.Error("a subkey has an idemkey line")
	}
	if _, err := sub.Seal([]byte("p"), strings.NewReader(strings.Repeat("r", 64))); err == nil {
		t.Error("a subkey is sealed")
	}
	for _, other := range []Triple{{"acme.refunds", "checkout.charge", 1}, {"acme.payments", "checkout.refund", 1}, {"acme.payments", "checkout.charge", 11}} {
		if _, err := sub.Subkey(other); err == nil {
			t.Errorf("it serves %s", other)
		}
		if sub.IsPublic(other) {
			t.Errorf("public for %s", other)
		}
	}
	if !sub.IsPublic(Triple{"x", "y", 1}, triple) {
		t.Error("the test secret's subkey is not known as public")
	}
	if !TestSecret("any").IsPublic() || secretOf(t, "k1", strings.Repeat("ab", 32)).IsPublic(triple) {
		t.Error("IsPublic")
	}
	damaged := strings.Replace(line, "3i", "3j", 1)
	if sub, err := (KeySpec{Kid: "k1", Format: FormatIdemkey}).ReadKeyText([]byte(damaged), nil); err == nil {
		if _, err := sub.Subkey(triple); err == nil {
			t.Error("a damaged subkey serves")
		}
	}
}

// zeros is a source of random bytes that a test can do again.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestSealed(t *testing.T) {
	secret := secretOf(t, "k1", testHex)
	line, err := secret.Seal([]byte("correct horse\n"), zeros{})
	if err != nil {
		t.Fatal(err)
	}
	// Opened by another implementation of Argon2id and XChaCha20-Poly1305.
	if want := "idemkeyx1-k1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaafq7og3ddjffdhln5mb4sc5q" +
		"pbopvjci5e5427tihxge6f2dczszp3wwf6vae5edxujyd3s4cib6i4kape3wh5ec6muvakekntyqzcavck2rsezyp2xsxczskfb5" +
		"oetjjohzssvoxrpoew-tzl33oi"; line != want {
		t.Errorf("got %s\nwant %s", line, want)
	}
	pass := func(s string) func() ([]byte, error) { return func() ([]byte, error) { return []byte(s), nil } }
	spec := KeySpec{Kid: "k1", Format: FormatIdemkey, Check: "6j96x785"}
	opened, err := spec.ReadKeyText([]byte(line+"\n"), pass("correct horse"))
	if err != nil || !bytes.Equal(opened.get().bytes, secret.get().bytes) {
		t.Fatal(err)
	}
	moved := strings.Replace(line, "idemkeyx1-k1-", "idemkeyx1-k2-", 1)
	moved = writeLine(moved[:len(moved)-sumLength-1], sumOf(moved[:len(moved)-sumLength-1]))
	short := "idemkeyx1-k1-" + base32Lower().EncodeToString(make([]byte, 40))
	for _, c := range []struct {
		kid, line, want string
		ask             func() ([]byte, error)
	}{
		{"k1", line, "the passphrase is wrong, or the sealed key of kid k1 was changed", pass("wrong horse")},
		{"k1", line, "the passphrase is empty", pass("\n")},
		{"k1", line, "the passphrase is not UTF-8", pass("\xff")},
		{"k1", line, "the key is sealed under a passphrase, and none is named", nil},
		{"k1", line, "no tty", func() ([]byte, error) { return nil, errors.New("no tty") }},
		{"k1", strings.Replace(line, "aaaa", "aaab", 1), "its checksum does not hold", pass("correct horse")},
		{"k2", line, "the key is called k1, and kid k2 is wanted", pass("correct horse")},
		{"k2", moved, "the passphrase is wrong, or the sealed key of kid k2 was changed", pass("correct horse")},
		{"k1", writeLine(short, sumOf(short)), "it is too short", pass("correct horse")},
	} {
		_, err := KeySpec{Kid: c.kid, Format: FormatIdemkey}.ReadKeyText([]byte(c.line), c.ask)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := secret.Seal([]byte("p"), strings.NewReader("few")); err == nil || !strings.Contains(err.Error(), "no random bytes") {
		t.Error(err)
	}
	if _, err := secret.Seal(nil, zeros{}); err == nil {
		t.Error("an empty passphrase")
	}
	long, _ := NewSecret("k1", make([]byte, 33))
	if _, err := long.Seal([]byte("p"), zeros{}); err == nil {
		t.Error("a secret that has no line is sealed")
	}
}

// TestSecretsPrintAsNothing tries every way in which a value gets into a text.
func TestSecretsPrintAsNothing(t *testing.T) {
	s := secretOf(t, "k1", testHex)
	sk, _ := s.Subkey(Triple{"a", "b", 1})
	line, _ := s.Line()
	forms := []string{testHex, fmt.Sprintf("%x", sk.get()), line[12:40], fmt.Sprint(s.get().bytes), fmt.Sprint(sk.get()), string(s.get().bytes), base64.StdEncoding.EncodeToString(s.get().bytes)}
	for _, v := range []any{s, *s, sk, &sk, struct{ S *Secret }{s}, struct{ s Secret }{*s}, struct{ s *Secret }{s}, struct{ k Subkey }{sk}, []*Secret{s}, map[string]Subkey{"x": sk}, fmt.Errorf("%w: %v", errors.New("e"), s)} {
		shown := ""
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
			shown += fmt.Sprintf(verb, v) + "\n"
		}
		if j, err := json.Marshal(v); err == nil {
			shown += string(j)
		}
		for _, form := range forms {
			if strings.Contains(strings.ToLower(shown), strings.ToLower(form)) {
				t.Errorf("%T shows itself: %s", v, shown)
			}
		}
	}
}

// FuzzKeyLine: a line that is read is written again as the very line, and no
// error quotes what it was given.
func FuzzKeyLine(f *testing.F) {
	for _, v := range vectors(f).KeyLines {
		f.Add(v.Line)
		f.Add(v.SubkeyLine)
	}
	for _, v := range vectors(f).KeysRefused {
		f.Add(v.Text)
	}
	f.Add("idemkeyx1-k1-" + strings.Repeat("a", 100) + "-aaaaaaa")
	f.Fuzz(func(t *testing.T, line string) {
		for _, format := range []KeyFormat{FormatIdemkey, FormatHex, FormatBase64, FormatRaw} {
			s, err := KeySpec{Kid: "k1", Format: format}.ReadKeyText([]byte(line), nil)
			if err != nil {
				if len(line) > 20 && strings.Contains(err.Error(), line[len(line)-20:]) {
					t.Fatal("the error shows the key")
				}
				continue
			}
			if len(s.get().bytes) < 32 {
				t.Fatalf("a secret of %d bytes", len(s.get().bytes))
			}
			if format != FormatIdemkey {
				continue
			}
			again, err := s.Line()
			if s.get().subkey {
				again, err = writeLine(s.get().line, s.get().sum), nil
			}
			if err != nil || again != string(trimLine([]byte(line))) {
				t.Fatalf("%q is written as %q, %v", line, again, err)
			}
		}
	})
}

func TestKidMustBeTheRecipes(t *testing.T) {
	r, err := Parse("r.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.DeriveText([]byte(`{"cart":{"id":"c","version":1}}`), Inputs{"tenant": fingerprint.String("a")}, TestSecret("k1"))
	if err == nil || err.Error() != "the secret is called k1, and the recipe's kid is k2" {
		t.Error(err)
	}
}
