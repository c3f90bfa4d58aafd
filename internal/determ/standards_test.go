package determ

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// TestStandards holds the primitives that determ-v1 is made of to the
// examples of their standards, through the calls that we make.
func TestStandards(t *testing.T) {
	// RFC 5869, appendix A.1.
	okm, err := hkdf.Key(sha256.New, bytes.Repeat([]byte{0x0b}, 22), unhex(t, "000102030405060708090a0b0c"), string(unhex(t, "f0f1f2f3f4f5f6f7f8f9")), 42)
	if err != nil || hex.EncodeToString(okm) != "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865" {
		t.Errorf("RFC 5869 A.1: %x %v", okm, err)
	}
	// RFC 4231, test cases 1, 2, 3 and 6. A Subkey is an HMAC key of 32 bytes:
	// a shorter one is padded with zeros to the block anyway (RFC 2104), so
	// cases 1 to 3 go through Tag; 6 has a key over the block.
	for _, c := range []struct{ key, data, want string }{
		{strings.Repeat("0b", 20), hex.EncodeToString([]byte("Hi There")), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{hex.EncodeToString([]byte("Jefe")), hex.EncodeToString([]byte("what do ya want for nothing?")), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{strings.Repeat("aa", 20), strings.Repeat("dd", 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
	} {
		sk := hideSubkey(unhex(t, c.key))
		if tag := sk.Tag(unhex(t, c.data)); hex.EncodeToString(tag[:]) != c.want {
			t.Errorf("RFC 4231: %x, want %s", tag, c.want)
		}
	}
	mac := hmac.New(sha256.New, bytes.Repeat([]byte{0xaa}, 131))
	mac.Write([]byte("Test Using Larger Than Block-Size Key - Hash Key First"))
	if got := hex.EncodeToString(mac.Sum(nil)); got != "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54" {
		t.Errorf("RFC 4231 case 6: %s", got)
	}
	// RFC 9562, appendix B.1: the layout of version 8; appendix A.3 that of 4.
	var tag [32]byte
	copy(tag[:], unhex(t, "2489e9ad2ee20e0082ec32d5f69181c0"))
	tag[6] |= 0xF0 // version and variant overwrite what stands there
	tag[8] |= 0xC0
	if got := UUID.Encode("", 1, tag); got != "2489e9ad-2ee2-8e00-82ec-32d5f69181c0" {
		t.Errorf("RFC 9562 B.1: %s", got)
	}
	copy(tag[:], unhex(t, "919108f752d133205bacf847db4148a8"))
	if got := UUID4.Encode("", 1, tag); got != "919108f7-52d1-4320-9bac-f847db4148a8" {
		t.Errorf("RFC 9562 A.3: %s", got)
	}
}
