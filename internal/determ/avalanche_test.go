package determ

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"
)

// flips counts, over many pairs of tags, which of the 256 bits differ.
type flips struct {
	pairs int
	bit   [256]int
	by    [257]int // pairs that differ in so many bits
}

func (f *flips) add(a, b [32]byte) {
	f.pairs++
	differ := 0
	for i := range a {
		for x := a[i] ^ b[i]; x != 0; x &= x - 1 {
			f.bit[8*i+bits.TrailingZeros8(x)]++
			differ++
		}
	}
	f.by[differ]++
}

// unfair says where the bits do not differ as often as a fair coin shows heads.
func (f *flips) unfair() []string {
	var out []string
	total := 0
	for i, n := range f.bit {
		total += n
		if d := deviation(n, f.pairs); math.Abs(d) > normalBound(len(f.bit), chancy) {
			out = append(out, fmt.Sprintf("bit %d of the tag differs in %d of %d pairs, %.1f deviations from half", i, n, f.pairs, d))
		}
	}
	if d := deviation(total, 256*f.pairs); math.Abs(d) > normalBound(1, chancy) {
		out = append(out, fmt.Sprintf("%.4f of the tag's bits differ, %.1f deviations from half", float64(total)/256/float64(f.pairs), d))
	}
	if below, above := f.binomial(); min(below, above) < chancy {
		out = append(out, fmt.Sprintf("how many bits of a tag differ is not binomial: %.2g, %.2g", below, above))
	}
	return out
}

// binomial holds how many bits differ to the binomial distribution, in classes
// of ten pairs or more.
func (f *flips) binomial() (below, above float64) {
	x, df, expected, got := 0.0, -1, 0.0, 0
	left := float64(f.pairs)
	p := math.Exp2(-256)
	for k, n := range f.by {
		expected, got = expected+p*float64(f.pairs), got+n
		if expected >= 10 && (left-expected >= 10 || k == 256) || k == 256 {
			x += (float64(got) - expected) * (float64(got) - expected) / expected
			df, left, expected, got = df+1, left-expected, 0, 0
		}
		p *= float64(256-k) / float64(k+1)
	}
	return chiSquareTails(df, x)
}

// TestAvalanche: one bit of an identity, of a secret or of what a subkey is
// for changes each bit of the tag as often as not, whichever bit it is.
func TestAvalanche(t *testing.T) {
	secret := TestSecret("k1")
	triple := Triple{"acme.payments", "checkout.charge", 7}
	sk, err := secret.Subkey(triple)
	if err != nil {
		t.Fatal(err)
	}
	const identities = 400
	var all flips
	var cells []int // which bit of the identity makes how often which of the tag differ
	for i := range identities {
		text := fmt.Appendf(nil, `{"cart":"c_%06d","cart_version":%d}`, i*7, i%10)
		tag := sk.Tag(text)
		for at := range 8 * len(text) {
			text[at/8] ^= 1 << (at % 8)
			other := sk.Tag(text)
			text[at/8] ^= 1 << (at % 8)
			all.add(tag, other)
			for len(cells) < 256*(at+1) {
				cells = append(cells, 0)
			}
			for b := range 256 {
				cells[256*at+b] += int((tag[b/8] ^ other[b/8]) >> (b % 8) & 1)
			}
		}
	}
	for _, bad := range all.unfair() {
		t.Error("a bit of the identity: ", bad)
	}
	bound := normalBound(len(cells), chancy)
	for i, n := range cells {
		if d := deviation(n, identities); math.Abs(d) > bound {
			t.Errorf("bit %d of the identity changes bit %d of the tag in %d of %d cases", i/256, i%256, n, identities)
		}
	}
	var keys flips
	for i := range 40 {
		text := fmt.Appendf(nil, `{"order":%d}`, i)
		tag := sk.Tag(text)
		for at := range 256 {
			b := bytes.Clone(secret.get().bytes)
			b[at/8] ^= 1 << (at % 8)
			other, err := NewSecret("k1", b)
			if err != nil {
				t.Fatal(err)
			}
			osk, err := other.Subkey(triple)
			if err != nil {
				t.Fatal(err)
			}
			keys.add(tag, osk.Tag(text))
		}
	}
	for _, bad := range keys.unfair() {
		t.Error("a bit of the secret: ", bad)
	}
	var versions flips
	text := []byte(`{"order":1}`)
	before := sk.Tag(text)
	for v := 1; v <= 10_000; v++ {
		osk, err := secret.Subkey(Triple{triple.Namespace, triple.Operation, v})
		if err != nil {
			t.Fatal(err)
		}
		tag := osk.Tag(text)
		if v != triple.Version {
			versions.add(before, tag)
		}
		before = tag
	}
	for _, bad := range versions.unfair() {
		t.Error("the next version: ", bad)
	}
}

// TestAvalancheIsSeen: tags that keep a bit, or follow one another, are noticed.
func TestAvalancheIsSeen(t *testing.T) {
	sk := Subkey{func() [32]byte { return [32]byte{2} }}
	for _, c := range []struct {
		what string
		bend func(a, b *[32]byte, i int)
		good bool
	}{
		{"nothing", func(_, _ *[32]byte, _ int) {}, true},
		{"a bit that stays", func(a, b *[32]byte, _ int) { b[5] = b[5]&^8 | a[5]&8 }, false},
		{"a bit that always turns", func(a, b *[32]byte, _ int) { b[31] = b[31]&^1 | ^a[31]&1 }, false},
		{"one of twenty that is the same", func(a, b *[32]byte, i int) {
			if i%20 == 0 {
				*b = *a
			}
		}, false},
		{"one half that is the other turned", func(a, b *[32]byte, _ int) {
			*a = [32]byte{}
			for i := range 16 {
				b[i+16] = ^b[i]
			}
		}, false},
	} {
		var f flips
		for i := range 10_000 {
			a, b := sk.Tag(fmt.Append(nil, i)), sk.Tag(fmt.Append(nil, i, "'"))
			c.bend(&a, &b, i)
			f.add(a, b)
		}
		if bad := f.unfair(); (len(bad) == 0) != c.good {
			t.Errorf("%s: %v", c.what, bad)
		}
	}
}

// TestNoneCollide: what differs in anything that makes an identity has an ID of
// its own: values that change places, versions, namespaces, operations,
// secrets, and texts that would be alike if they were put side by side.
func TestNoneCollide(t *testing.T) {
	payloads := []string{
		`{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"a":"1","b":2}`, `{"a":1,"b":"2"}`, `{"a":12,"b":""}`, `{"a":"","b":12}`,
		`{"a":1}`, `{"b":1}`, `{"a":1,"b":null}`, `{"a":null,"b":1}`, `{"a":1,"b":""}`, `{"a":"","b":1}`, `{"a":"null","b":1}`,
		`{"a":"ab","b":"c"}`, `{"a":"a","b":"bc"}`, `{"a":"abc","b":""}`, `{"a":"","b":"abc"}`,
		`{"a":[1,2]}`, `{"a":[12]}`, `{"a":["1,2"]}`, `{"a":"1,2"}`, `{"a":"[1,2]"}`, `{"a":[[1],2]}`, `{"a":[1,[2]]}`, `{"a":[1],"b":[2]}`,
		`{"a":{"b":1}}`, `{"a":{"a":1,"b":2}}`, `{"a":"{\"b\":1}"}`, `{"a":"x\",\"b\":\"y"}`, `{"a":"x","b":"y"}`,
		`{"a":true}`, `{"a":"true"}`, `{"a":false}`, `{"a":0}`, `{"a":"0"}`, `{"a":{}}`, `{"a":[]}`, `{"a":[null]}`, `{"a":null}`,
		`{"a":"é"}`, `{"a":"e\u0301"}`, `{"a":"E"}`, `{"a":"e"}`, `{"a":" e"}`, `{"a":"e "}`, `{"a":"e\u0000"}`, `{"a":"\\u0000"}`,
		`{"a":0.1}`, `{"a":0.10000000000000002}`, `{"a":1e21}`, `{"a":100000000000000000000}`, `{"a":9007199254740991}`, `{"a":9007199254740992}`,
	}
	fields := []string{
		`{pointer: /a, when_null: allow, when_absent: omit}`, `{pointer: /b, when_null: allow, when_absent: omit}`,
	}
	owner := map[string]string{}
	made := 0
	derive := func(r *Recipe, secret *Secret, who, payload string) {
		d, err := r.Deriver(nil, secret)
		if err != nil {
			t.Fatal(who, err)
		}
		id, err := d.Append(nil, []byte(payload))
		if err != nil {
			t.Fatal(who, payload, err)
		}
		made++
		key := string(id[len(id)-32:]) // the 160 bits, whatever stands before them
		if other := owner[key]; other != "" {
			t.Errorf("%s of %s and %s are one ID", who, payload, other)
		}
		owner[key] = who + " of " + payload
	}
	second := bytes.Repeat([]byte{7}, 32)
	for _, name := range []struct{ namespace, operation string }{
		{"a", "b"}, {"b", "a"}, {"a.b", "c"}, {"a", "b.c"}, {"ab", "c"}, {"a", "bc"}, {"a-b", "c"}, {"a", "1"}, {"a", "11"}, {"1", "a"},
	} {
		for _, version := range []int{1, 2, 11, 111, 12, 999999} {
			for i, secret := range []*Secret{TestSecret("k1"), hide("k1", material{bytes: second}),
				hide("k1", material{bytes: append(slices.Clone(second), 7)})} {
				who := fmt.Sprintf("%s/%s/%d under secret %d", name.namespace, name.operation, version, i)
				recipe := func(identity string) *Recipe {
					r, err := Parse("r.yaml", fmt.Appendf(nil, `{idem: recipe/v1, namespace: %q, operation: %q, version: %d, prefix: p, boundary: b, key: {kid: k1, env: K}, identity: %s}`,
						name.namespace, name.operation, version, identity))
					if err != nil {
						t.Fatal(who, err)
					}
					return r
				}
				r := recipe(`{a: ` + fields[0] + `, b: ` + fields[1] + `}`)
				for _, payload := range payloads {
					derive(r, secret, who, payload)
				}
				// Fields that change places, or have other names, make other identities
				// of one payload.
				swapped := recipe(`{b: ` + fields[0] + `, a: ` + fields[1] + `}`)
				derive(swapped, secret, who+", swapped", `{"a":3,"b":4}`)
				derive(r, secret, who, `{"a":3,"b":4}`)
				derive(recipe(`{ab: `+fields[0]+`, c: `+fields[1]+`}`), secret, who+", as ab and c", `{"a":3,"b":4}`)
				derive(recipe(`{a: `+fields[0]+`, bc: `+fields[1]+`}`), secret, who+", as a and bc", `{"a":3,"b":4}`)
				derive(recipe(`{"a\",\"b": `+fields[0]+`}`), secret, who+", as a quoted name", `{"a":3,"b":4}`)
			}
		}
	}
	if made < 10_000 || len(owner) != made {
		t.Errorf("%d IDs of %d identities", len(owner), made)
	}
}
