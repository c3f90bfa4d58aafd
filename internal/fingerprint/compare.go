package fingerprint

import (
	"crypto/subtle"
	"strings"
)

// Comparison is what two fingerprints say of two payloads or requests.
type Comparison int

const (
	// Unknown: of different kind or kid, or one is no fingerprint; nothing follows.
	Unknown Comparison = iota
	// Same: equal fingerprints of one kind and kid.
	Same
	// Different: unequal fingerprints of one kind and kid.
	Different
)

// String gives "unknown", "same" or "different".
func (c Comparison) String() string {
	switch c {
	case Same:
		return "same"
	case Different:
		return "different"
	}
	return "unknown"
}

// Compare compares two fingerprints; those of different kind or kid are
// Unknown, never Different (determ-v1, Fingerprints v1). The digests are
// compared in constant time.
func Compare(a, b string) Comparison {
	kindA, digestA, okA := splitFingerprint(a)
	kindB, digestB, okB := splitFingerprint(b)
	if !okA || !okB || kindA != kindB {
		return Unknown
	}
	if subtle.ConstantTimeCompare([]byte(digestA), []byte(digestB)) == 1 {
		return Same
	}
	return Different
}

// IsFingerprint says whether s has the form of a fingerprint of any kind.
func IsFingerprint(s string) bool {
	_, _, ok := splitFingerprint(s)
	return ok
}

// splitFingerprint parts "hmac-sha256:k1" from the digest.
func splitFingerprint(s string) (kind, digest string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", "", false
	}
	kind, digest = s[:i], s[i+1:]
	name, kid, keyed := strings.Cut(kind, ":")
	switch name {
	case payloadForm.plain, requestForm.plain:
		ok = !keyed
	case payloadForm.keyed, requestForm.keyed:
		ok = keyed && validKid(kid)
	}
	if !ok || len(digest) != 64 {
		return "", "", false
	}
	for i := 0; i < len(digest); i++ {
		if hexDigit(digest[i]) < 0 || digest[i] >= 'A' && digest[i] <= 'F' {
			return "", "", false
		}
	}
	return kind, digest, true
}
