package fingerprint

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Looks says what private thing a value looks like: "an email address", "a
// phone number", "a payment card number", "an IBAN", "a national id number",
// or nothing. name is the member's name, "" where there is none; it decides
// for digits alone, which could as well be an order number.
func Looks(name string, v *Value) string {
	switch v.Kind {
	case KindString:
		if len(v.Str) > maxLooksAt {
			return ""
		}
		return looks(name, v.Str)
	case KindNumber:
		return looks(name, wholeDigits(v.Number))
	}
	return ""
}

// wholeDigits gives the digits of a number before its decimal point, however
// it is spelled: 4111111111111111.0 and 4.111111111111111e15 are one card. A
// number that is longer than any card gives none.
func wholeDigits(literal string) string {
	d := readDecimal(literal)
	if d.negative || d.exponent < 1 || d.exponent > maxDigits {
		return ""
	}
	n := int(d.exponent)
	return d.digits[:min(n, len(d.digits))] + strings.Repeat("0", max(n-len(d.digits), 0))
}

// Private says whether a value must not be shown where nothing says that it
// may be: it looks private, in a text of any length, or its name says that it
// is a secret.
func Private(name string, v *Value) bool {
	if v.Kind == KindString && looks(name, v.Str) != "" || Looks(name, v) != "" {
		return true
	}
	return v.Kind != KindNull && v.Kind != KindBool && isSecretName(name)
}

// isSecretName knows the names of what lets somebody in.
func isSecretName(name string) bool {
	words := nameWords(name)
	for i, word := range words {
		switch word {
		case "password", "passwd", "passphrase", "pwd", "secret", "apikey", "token", "credential", "credentials", "authorization", "cvv", "cvc", "pin", "otp":
			return true
		case "key":
			if i > 0 && (words[i-1] == "api" || words[i-1] == "private" || words[i-1] == "access") {
				return true
			}
		}
	}
	return false
}

// maskNames gives a path's text without the names in it that look private.
func maskNames(p Pointer) string {
	shown := p
	for i, token := range p {
		if looks("", token) != "" {
			if &shown[0] == &p[0] {
				shown = slices.Clone(p)
			}
			shown[i] = masked
		}
	}
	return shown.String()
}

const (
	maxDigits  = 19   // of the longest card number
	maxLooksAt = 4096 // a longer text cannot be guessed
)

func looks(name, s string) string {
	if len(s) < len("a@b.co") {
		return ""
	}
	s = strings.TrimSpace(s)
	hint := readHint(name)
	switch {
	case isCard(s):
		return "a payment card number"
	case isIBAN(s):
		return "an IBAN"
	case isNationalID(s, hint.nationalID):
		return "a national id number"
	case isPhone(s, hint.phone):
		return "a phone number"
	}
	for token := range strings.FieldsFuncSeq(s, betweenTokens) {
		switch token = strings.Trim(token, ".:!?'"); {
		case isEmail(afterPrefix(token)):
			return "an email address"
		case isCard(token):
			return "a payment card number"
		case isIBAN(token):
			return "an IBAN"
		}
	}
	return ""
}

func betweenTokens(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`<>()[]{},;"|=&`, r)
}

// afterPrefix gives what stands behind the mailto:, user: or users/ of an
// address; the user of a URL is no address.
func afterPrefix(token string) string {
	if strings.Contains(token, "://") {
		return token
	}
	local, _, _ := strings.Cut(token, "@")
	return token[strings.LastIndexAny(local, `:/\`)+1:]
}

// isEmail takes local@domain with a domain of two labels or more, the last of
// them no number.
func isEmail(s string) bool {
	local, domain, found := strings.Cut(s, "@")
	if !found || local == "" || len(local) > 64 || len(domain) > 253 || strings.Contains(domain, "@") {
		return false
	}
	if strings.ContainsAny(local, `/:\`) || local[0] == '.' || local[len(local)-1] == '.' {
		return false
	}
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		if !isHostLabel(label) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && utf8.RuneCountInString(last) > 1 && !strings.ContainsAny(last[:1], "0123456789")
}

func isHostLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for _, r := range s {
		if r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return true
}

// cardRange is a range of the first digits of card numbers, with the lengths
// that are issued there.
type cardRange struct{ from, to, digits, shortest, longest int }

// cardRanges are the issuers' ranges of ISO/IEC 7812 numbers in wide use. A
// number outside them is no card, however its check digit comes out.
var cardRanges = [...]cardRange{
	{4, 4, 1, 13, 13},       // Visa
	{4, 4, 1, 16, 16},       // Visa
	{4, 4, 1, 19, 19},       // Visa
	{51, 55, 2, 16, 16},     // Mastercard
	{2221, 2720, 4, 16, 16}, // Mastercard
	{34, 34, 2, 15, 15},     // American Express
	{37, 37, 2, 15, 15},     // American Express
	{300, 305, 3, 14, 19},   // Diners Club
	{36, 36, 2, 14, 19},     // Diners Club
	{38, 39, 2, 14, 19},     // Diners Club
	{6011, 6011, 4, 16, 19}, // Discover
	{644, 649, 3, 16, 19},   // Discover
	{65, 65, 2, 16, 19},     // Discover, RuPay
	{3528, 3589, 4, 16, 19}, // JCB
	{62, 62, 2, 16, 19},     // UnionPay
	{81, 82, 2, 16, 19},     // UnionPay, RuPay
	{2200, 2204, 4, 16, 19}, // Mir
	{50, 50, 2, 16, 19},     // Maestro, Verve, Elo
	{56, 58, 2, 16, 19},     // Maestro
	{60, 60, 2, 16, 19},     // RuPay
	{6304, 6304, 4, 12, 19}, // Maestro
	{6759, 6767, 4, 12, 19}, // Maestro
	{9792, 9792, 4, 16, 16}, // Troy
}

// isCard takes 12 to 19 digits, in one run or in groups of two to six parted
// by one kind of space or hyphen, of an issuer's range and right by Luhn.
func isCard(s string) bool {
	digits, ok := grouped(s, " -", 2, 6)
	if !ok || len(digits) < 12 || len(digits) > maxDigits || !luhn(digits) {
		return false
	}
	for _, r := range cardRanges {
		head := 0
		for i := range r.digits {
			head = head*10 + int(digits[i]-'0')
		}
		if head >= r.from && head <= r.to && len(digits) >= r.shortest && len(digits) <= r.longest {
			return true
		}
	}
	return false
}

// grouped gives the digits of s, which must be digits alone or groups of
// shortest to longest digits parted by one of the separators, always the same.
func grouped(s, separators string, shortest, longest int) (string, bool) {
	if allDigits(s) {
		return s, true
	}
	i := strings.IndexAny(s, separators)
	if i < 0 || len(s) > 2*maxDigits {
		return "", false
	}
	groups := strings.Split(s, s[i:i+1])
	for _, group := range groups {
		if !allDigits(group) || len(group) < shortest || len(group) > longest {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func allDigits(s string) bool {
	return s != "" && digitsEnd(s, 0) == len(s)
}

// luhn checks the digit of ISO/IEC 7812-1 annex B.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// ibanLengths are the lengths of the IBAN registry (ISO 13616), by country.
const ibanLengths = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28" +
	"EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20" +
	"LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29" +
	"RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30"

// isIBAN takes an IBAN of a registered country and length, in groups of four
// or in one run, whose check digits are right by ISO 7064 MOD 97-10.
func isIBAN(s string) bool {
	if len(s) < 15 || len(s) > 42 {
		return false
	}
	s = strings.ToUpper(strings.ReplaceAll(s, " ", ""))
	for i := 0; i < len(ibanLengths); i += 4 {
		if !strings.HasPrefix(s, ibanLengths[i:i+2]) {
			continue
		}
		length := int(ibanLengths[i+2]-'0')*10 + int(ibanLengths[i+3]-'0')
		return len(s) == length && mod97(s[4:]+s[:4]) == 1
	}
	return false
}

// mod97 reads letters as 10 to 35; it gives -1 for anything else but digits.
func mod97(s string) int {
	rest := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return -1
		}
	}
	return rest
}
