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
	plain       kindOfValue = iota
	moment                  // a time with hours and minutes
	clockNumber             // a number that may well be a time
	ciphertext              // an envelope that encrypting makes anew
	saltedHash              // of a password hash, which salts anew
	webToken                // a JWT
	randomID                // a UUID, a ULID
)

// valueKind looks at one leaf; name decides where a number could be anything.
func valueKind(v *fingerprint.Value, name []string) kindOfValue {
	switch v.Kind {
	case fingerprint.KindNumber:
		return clockKind(v.Number, name)
	case fingerprint.KindString:
		s := strings.TrimSpace(v.Str)
		for _, piece := range pieces(s) {
			if isMoment(piece) {
				return moment
			}
		}
		switch {
		case isCiphertext(s):
			return ciphertext
		case isSaltedHash(s):
			return saltedHash
		case isWebToken(s):
			return webToken
		case holdsUUID(s) || isULID(s):
			return randomID
		}
		for _, piece := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("|;#,_-:", r) }) {
			if kind := clockKind(piece, name); kind != plain {
				return kind
			}
		}
	}
	return plain
}

// clockKind takes digits for a time where their name says one, and for what
// may be one where they are of our days.
func clockKind(digits string, name []string) kindOfValue {
	switch {
	case isTimeName(name) && isEpoch(digits):
		return moment
	case isClock(digits):
		return clockNumber
	}
	return plain
}

func isTimeName(name []string) bool {
	return len(name) > 0 && (isMomentName(name) || isDateName(name) || anyOf(name, "time date at when stamp ms millis seconds"))
}

// isMoment takes a date with a time of day: RFC 3339, RFC 1123, ISO 8601 with
// or without seconds and zone, and what databases print.
func isMoment(s string) bool {
	if len(s) < 13 || len(s) > 40 {
		return false
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.UnixDate,
		"2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "20060102T150405Z", "20060102T150405",
		"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04Z0700", "20060102T1504", "20060102T1504Z", "2006/01/02 15:04:05", "2006/01/02 15:04"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// isEpoch takes seconds, milliseconds, microseconds or nanoseconds from 2001
// to 2036.
func isEpoch(s string) bool {
	n, unit := epoch(s)
	return unit > 0 && n/unit >= 1e9 && n/unit < 2.1e9
}

// isClock takes what isEpoch does from 2020 to 2035, and yyyymmddhhmmss. The
// first second of a day is rather the day, which the business names.
func isClock(s string) bool {
	if t, err := time.Parse("20060102150405", s); err == nil && len(s) == 14 {
		return t.Year() >= 2020 && t.Year() < 2036
	}
	n, unit := epoch(s)
	return unit > 0 && n >= 1577836800*unit && n < 2082758400*unit && n%(86400*unit) != 0
}

// epoch gives a whole number and in which fraction of a second it counts: 0
// where it has not the digits of any.
func epoch(s string) (n, unit int64) {
	whole, fraction, _ := strings.Cut(s, ".")
	if strings.ContainsAny(fraction, "eE") || strings.ContainsAny(whole, "eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f < 1e9 || f > 9e18 {
			return 0, 0
		}
		whole = strconv.FormatInt(int64(f), 10)
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || whole[0] == '+' {
		return 0, 0
	}
	switch len(whole) {
	case 10:
		return n, 1
	case 13:
		return n, 1e3
	case 16:
		return n, 1e6
	case 19:
		return n, 1e9
	}
	return 0, 0
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

// isSaltedHash knows password hashes: bcrypt, Argon2, scrypt, PBKDF2, the
// crypt(3) families and LDAP's.
func isSaltedHash(s string) bool {
	for _, head := range []string{"$2a$", "$2b$", "$2x$", "$2y$", "$argon2", "$scrypt$", "$s0$", "$7$", "$y$", "$gy$", "$1$", "$5$", "$6$", "$apr1$",
		"$pbkdf2", "pbkdf2_sha", "pbkdf2:sha", "scrypt:", "bcrypt$", "bcrypt_sha256$", "argon2$", "{SSHA"} {
		if strings.HasPrefix(s, head) && len(s) > len(head)+16 {
			return true
		}
	}
	return false
}

// isWebToken takes three parts in base64url, the first of them a JSON object
// (RFC 7515, section 7.1), with or without the word Bearer.
func isWebToken(s string) bool {
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "Bearer "), "bearer "))
	parts := strings.Split(s, ".")
	if len(parts) != 3 || !strings.HasPrefix(s, "eyJ") || len(parts[0]) < 10 {
		return false
	}
	for _, c := range []byte(strings.Join(parts, "")) {
		if !lowerOrDigit(c) && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// holdsUUID finds a UUID with hyphens anywhere in a text, and one without them
// that is all of it.
func holdsUUID(s string) bool {
	for i := 0; i+36 <= len(s); i++ {
		if isUUID(s[i:i+36]) && (i == 0 || !isHex(s[i-1])) && (i+36 == len(s) || !isHex(s[i+36])) {
			return true
		}
	}
	return len(s) == 32 && isUUID(s[:8]+"-"+s[8:12]+"-"+s[12:16]+"-"+s[16:20]+"-"+s[20:]) &&
		strings.IndexByte("89abAB", s[16]) >= 0
}

// isUUID takes the versions that hold chance or the time: 1, 4, 6 and 7. 3
// and 5 are derived from a name, 8 may be.
func isUUID(s string) bool {
	if len(s) != 36 || strings.IndexByte("1467", s[14]) < 0 {
		return false
	}
	for i := 0; i < len(s); i++ {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		if hyphen != (s[i] == '-') || !hyphen && !isHex(s[i]) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

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
