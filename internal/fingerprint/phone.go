package fingerprint

import (
	"strings"
	"unicode"
)

// hint is what a member's name says of digits that alone say nothing.
type hint struct{ phone, nationalID bool }

// readHint looks for telling words in a name, however it is cased.
func readHint(name string) hint {
	var h hint
	if len(name) > 100 {
		return h
	}
	words := nameWords(name)
	for i, word := range words {
		switch word {
		case "phone", "telephone", "tel", "mobile", "msisdn", "fax", "cellphone", "whatsapp", "telefon", "phonenumber", "mobilenumber":
			h.phone = true
		case "ssn", "nationalid", "taxid", "nin", "nino", "cpf", "bsn", "pesel", "steuerid", "personnummer", "aadhaar", "nif", "nir", "curp", "tfn", "egn", "cnp", "itin":
			h.nationalID = true
		}
		if i == 0 {
			continue
		}
		switch words[i-1] + " " + word {
		case "social security", "national id", "national identity", "national number", "tax id", "tax number",
			"personal id", "personal number", "identity number", "steuer id", "insurance number":
			h.nationalID = true
		}
	}
	return h
}

// nameWords parts phoneNumber, phone_number and PHONE-NUMBER alike.
func nameWords(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	wasLower := false
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			wasLower = false
			continue
		}
		if unicode.IsUpper(r) && wasLower {
			flush()
		}
		wasLower = unicode.IsLower(r)
		word.WriteRune(unicode.ToLower(r))
	}
	flush()
	return words
}

// isPhone takes what is written as only phone numbers are: +, 00 or tel: and
// the country, an area code in brackets, or the groups of North America and
// of countries whose area codes start with 0. Digits in one run are a phone
// number only where the member's name says so.
func isPhone(s string, named bool) bool {
	marked := strings.HasPrefix(s, "tel:")
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "tel:"), ";")
	digits, ok := phoneDigits(s)
	if !ok || len(digits) < 7 || len(digits) > 15 {
		return false
	}
	switch {
	case marked || named:
		return !looksLikeDate(s)
	case s[0] == '+':
		return len(digits) >= 8 && digits[0] != '0' && !isAmount(s[1:])
	case strings.HasPrefix(s, "00"):
		return len(digits) >= 10 && digits[2] != '0' && strings.ContainsAny(s, " ()")
	case s[0] == '(':
		area := digitsEnd(s, 1)
		return area >= 3 && area <= 6 && s[area] == ')' && len(digits) > area
	case s[0] == '0':
		return len(digits) >= 9 && len(digits) <= 11 && digits[1] != '0' && strings.ContainsAny(s, " /") &&
			!strings.ContainsAny(s, ".-")
	}
	return isNorthAmerican(s)
}

// phoneDigits drops the signs that people put between the digits of phone
// numbers; anything else, or two signs that no person would put together,
// makes it no number.
func phoneDigits(s string) (string, bool) {
	if s == "" || len(s) > 40 {
		return "", false
	}
	var digits []byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits = append(digits, c)
		case c == '+' && i == 0:
		case strings.IndexByte(" -./()", c) < 0:
			return "", false
		}
	}
	return string(digits), true
}

// isAmount tells +12345678.90 from a phone number.
func isAmount(s string) bool {
	whole, cents, found := strings.Cut(s, ".")
	return found && allDigits(whole) && allDigits(cents) && len(cents) <= 2
}

// looksLikeDate tells 2026-11-30 and 30.11.2026 from seven digits or more.
func looksLikeDate(s string) bool {
	if len(s) != 10 {
		return false
	}
	yearFirst := s[4] == s[7] && (s[4] == '-' || s[4] == '.' || s[4] == '/')
	yearLast := s[2] == s[5] && (s[2] == '-' || s[2] == '.' || s[2] == '/')
	return yearFirst || yearLast
}

// isNorthAmerican takes 212-555-0143, 212.555.0143 and 212 555 0143, with or
// without a 1 before them: neither area nor exchange starts with 0 or 1.
func isNorthAmerican(s string) bool {
	for _, separator := range []string{"-", ".", " "} {
		groups := strings.Split(s, separator)
		if len(groups) == 4 && groups[0] == "1" {
			groups = groups[1:]
		}
		if len(groups) == 3 && len(groups[0]) == 3 && len(groups[1]) == 3 && len(groups[2]) == 4 &&
			allDigits(strings.Join(groups, "")) && groups[0][0] > '1' && groups[1][0] > '1' {
			return true
		}
	}
	return false
}
