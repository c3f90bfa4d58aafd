package determ

import (
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// kindOfValue is what a value shows of how it was made.
type kindOfValue int

const (
	plain      kindOfValue = iota
	moment                 // a time with hours and minutes
	ciphertext             // an envelope that encrypting makes anew
	randomID               // a UUID, a ULID
)

// valueKind looks at one leaf; name decides where a number could be anything.
func valueKind(v *fingerprint.Value, name []string) kindOfValue {
	switch v.Kind {
	case fingerprint.KindNumber:
		if isTimeName(name) && isEpoch(v.Number) {
			return moment
		}
	case fingerprint.KindString:
		s := strings.TrimSpace(v.Str)
		switch {
		case isMoment(s) || isTimeName(name) && isEpoch(s):
			return moment
		case isCiphertext(s):
			return ciphertext
		case isUUID(s) || isULID(s):
			return randomID
		}
	}
	return plain
}

func isTimeName(name []string) bool {
	return isMomentName(name) || isDateName(name) || anyOf(name, strings.Fields("time date at when stamp ms millis seconds"))
}

// isMoment takes a date with a time of day: RFC 3339, RFC 1123, and what
// databases print.
func isMoment(s string) bool {
	if len(s) < 16 || len(s) > 40 {
		return false
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC,
		"2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "20060102T150405Z"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// isEpoch takes seconds, milliseconds, microseconds or nanoseconds from 2001
// to 2036.
func isEpoch(s string) bool {
	whole, _, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return false
	}
	for _, unit := range []int64{1, 1e3, 1e6, 1e9} {
		if n/unit >= 1e9 && n/unit < 2.1e9 {
			return true
		}
	}
	return false
}

// isCiphertext knows the envelopes of common tools: PGP, age, JWE, Fernet,
// Vault, AWS KMS, Ansible, OpenSSL, Rails and Laravel.
func isCiphertext(s string) bool {
	for _, head := range []string{"-----BEGIN PGP MESSAGE", "-----BEGIN AGE ENCRYPTED", "age-encryption.org/", "vault:v", "ENC[", "enc:",
		"{cipher}", "$ANSIBLE_VAULT", "U2FsdGVkX1", "gAAAAA", "AQICAH", "eyJpdiI6"} {
		if strings.HasPrefix(s, head) && len(s) > len(head)+8 {
			return true
		}
	}
	return strings.HasPrefix(s, "eyJ") && strings.Count(s, ".") == 4 // JWE, RFC 7516
}

// isUUID takes the versions that hold chance or the time: 1, 4, 6 and 7. 3
// and 5 are derived from a name, 8 may be.
func isUUID(s string) bool {
	if len(s) != 36 || strings.IndexByte("1467", s[14]) < 0 {
		return false
	}
	for i := 0; i < len(s); i++ {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		if hyphen != (s[i] == '-') || !hyphen && !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}

// isULID takes 26 characters of Crockford's base32, the first at most 7.
func isULID(s string) bool {
	if len(s) != 26 || s[0] < '0' || s[0] > '7' {
		return false
	}
	letters, digits := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i] | 0x20; {
		case s[i] >= '0' && s[i] <= '9':
			digits++
		case strings.IndexByte(crockfordAlphabet, c) >= 0:
			letters++
		default:
			return false
		}
	}
	return letters > 0 && digits > 0
}
