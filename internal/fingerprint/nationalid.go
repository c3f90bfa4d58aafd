package fingerprint

import (
	"fmt"
	"strings"
)

// isNationalID takes numbers that states give to people. Forms that only such
// numbers have, and those whose check digits and dates leave chance no room,
// count anywhere; a bare run of digits that chance would often get right
// counts only where the member's name says so.
func isNationalID(s string, named bool) bool {
	if len(s) < 8 || len(s) > 24 {
		return false
	}
	for _, is := range telling {
		if is(s) {
			return true
		}
	}
	if !named {
		return false
	}
	digits := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '.' || r == '/' {
			return -1
		}
		return r
	}, s)
	return allDigits(digits) && len(digits) >= 8 && len(digits) <= 15
}

// telling are the forms that count whatever the member is called.
var telling = [...]func(string) bool{
	isSSN, isNINO, isDNI, isCodiceFiscale, isNIR, isCPF, isNationalRegister, isPersonnummer, isFodselsnummer,
	isHETU, isResidentID, isRRN, isAHV, isNRIC, isAadhaar, isCURP,
}

// matches compares s with a form: 9 stands for any digit, A for any upper-case
// letter, X for either, and everything else for itself.
func matches(s, form string) bool {
	if len(s) != len(form) {
		return false
	}
	for i := range len(s) {
		digit, upper := s[i] >= '0' && s[i] <= '9', s[i] >= 'A' && s[i] <= 'Z'
		switch form[i] {
		case '9':
			if !digit {
				return false
			}
		case 'A':
			if !upper {
				return false
			}
		case 'X':
			if !digit && !upper {
				return false
			}
		default:
			if s[i] != form[i] {
				return false
			}
		}
	}
	return true
}

// number reads up to 15 digits; the caller has seen that they are digits.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

// weigh sums the digits by their weights.
func weigh(digits string, weights ...int) int {
	sum := 0
	for i, w := range weights {
		sum += int(digits[i]-'0') * w
	}
	return sum
}

// isDay says whether mm is a month and dd one of its days.
func isDay(mm, dd string) bool {
	m, d := number(mm), number(dd)
	return m >= 1 && m <= 12 && d >= 1 && d <= 31
}

// isSSN: United States, 123-45-6789; never issued are 000, 666, 00 and 0000.
// 9xx with these middles are taxpayer numbers (ITIN).
func isSSN(s string) bool {
	if !matches(s, "999-99-9999") {
		return false
	}
	return s[:3] != "000" && s[:3] != "666" && s[4:6] != "00" && s[7:] != "0000" &&
		(s[0] != '9' || number(s[4:6]) >= 50)
}

// isNINO: United Kingdom, AB 12 34 56 C, without the letters never used.
func isNINO(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if !matches(s, "AA999999A") || s[8] > 'D' || strings.IndexByte("DFIQUV", s[0]) >= 0 || strings.IndexByte("DFIOQUV", s[1]) >= 0 {
		return false
	}
	return !strings.Contains("BG GB NK KN TN NT ZZ", s[:2])
}

// isDNI: Spain, DNI and NIE, letter by the rest of 23.
func isDNI(s string) bool {
	s = strings.ReplaceAll(s, "-", "")
	if matches(s, "A9999999A") && s[0] >= 'X' && s[0] <= 'Z' {
		s = string('0'+s[0]-'X') + s[1:]
	}
	return matches(s, "99999999A") && s[8] == "TRWAGMYFPDXBNJZSQVHLCKE"[number(s[:8])%23]
}

// isCodiceFiscale: Italy, sixteen characters, the last a check character.
func isCodiceFiscale(s string) bool {
	if !matches(s, "AAAAAAXXAXXAXXXA") {
		return false
	}
	// The values of 0 to 9, or A to J, and on to Z, at odd places (from one).
	const odd = "\x01\x00\x05\x07\x09\x0d\x0f\x11\x13\x15\x02\x04\x12\x14\x0b\x03\x06\x08\x0c\x0e\x10\x0a\x16\x19\x18\x17"
	sum := 0
	for i := range 15 {
		n := int(s[i] - '0')
		if s[i] >= 'A' {
			n = int(s[i] - 'A')
		}
		if i%2 == 0 {
			n = int(odd[n])
		}
		sum += n
	}
	return s[15] == byte('A'+sum%26)
}

// isNIR: France, sex, year, month, department, ..., and 97 less the rest of 97.
func isNIR(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if !matches(s, "999999999999999") || (s[0] != '1' && s[0] != '2') || number(s[3:5]) < 1 || number(s[3:5]) > 12 {
		return false
	}
	return number(s[13:]) == 97-number(s[:13])%97
}

// isCPF: Brazil, 123.456.789-09 with two check digits.
func isCPF(s string) bool {
	if !matches(s, "999.999.999-99") {
		return false
	}
	d := strings.NewReplacer(".", "", "-", "").Replace(s)
	if strings.Count(d, d[:1]) == len(d) {
		return false
	}
	first := weigh(d, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	second := weigh(d, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	return int(d[9]-'0') == first && int(d[10]-'0') == second
}

// isNationalRegister: Belgium, 85.07.30-033.28, date and 97 less the rest of
// 97; those born since 2000 count a 2 before it.
func isNationalRegister(s string) bool {
	if !matches(s, "99.99.99-999.99") {
		return false
	}
	d := strings.NewReplacer(".", "", "-", "").Replace(s)
	check := number(d[9:])
	return isDay(d[2:4], d[4:6]) && (check == 97-number(d[:9])%97 || check == 97-number("2"+d[:9])%97)
}

// isPersonnummer: Sweden, 811228-9874 or with the century, date and Luhn.
func isPersonnummer(s string) bool {
	if matches(s, "99999999-9999") && (s[:2] == "19" || s[:2] == "20") {
		s = s[2:]
	}
	if !matches(s, "999999-9999") && !matches(s, "999999+9999") {
		return false
	}
	day := number(s[4:6]) % 60 // 60 more for a coordination number
	return isBirthYear(s) && isDay(s[2:4], fmt.Sprintf("%02d", day)) && luhn(s[:6]+s[7:])
}

// isBirthYear leaves out the two-digit years in which order numbers of the
// same form, date and running number, are made.
func isBirthYear(s string) bool { return s[0] != '2' && s[0] != '3' }

// isFodselsnummer: Norway, eleven digits, date and two check digits.
func isFodselsnummer(s string) bool {
	s = strings.Replace(s, " ", "", 1)
	if !matches(s, "99999999999") || !isDay(s[2:4], s[:2]) {
		return false
	}
	return weigh(s, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 && weigh(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

// isHETU: Finland, 131052-308T, date and a character by the rest of 31.
func isHETU(s string) bool {
	if len(s) != 11 || strings.IndexByte("-+ABCDEFYXWVU", s[6]) < 0 || !matches(s[:6]+s[7:], "999999999X") {
		return false
	}
	return isDay(s[2:4], s[:2]) && s[10] == "0123456789ABCDEFHJKLMNPRSTUVWXY"[number(s[:6]+s[7:10])%31]
}

// isResidentID: China, eighteen characters, date and ISO 7064 MOD 11-2.
func isResidentID(s string) bool {
	if !matches(s, "99999999999999999X") || !isDay(s[10:12], s[12:14]) || (s[6:8] != "19" && s[6:8] != "20") {
		return false
	}
	return s[17] == "10X98765432"[weigh(s, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11]
}

// isRRN: South Korea, 900101-1234568, date, sex and a check digit.
func isRRN(s string) bool {
	if !matches(s, "999999-9999999") || !isDay(s[2:4], s[4:6]) || !isBirthYear(s) || s[7] < '1' || s[7] > '8' {
		return false
	}
	d := s[:6] + s[7:]
	return (11-weigh(d, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)%11)%10 == int(d[12]-'0')
}

// isAHV: Switzerland, 756.1234.5678.97 with the check digit of EAN-13.
func isAHV(s string) bool {
	d := strings.ReplaceAll(s, ".", "")
	return strings.HasPrefix(d, "756") && matches(d, "9999999999999") &&
		weigh(d, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
}

// isNRIC: Singapore, S1234567D and the letters of T, F, G and M.
func isNRIC(s string) bool {
	if !matches(s, "A9999999A") || strings.IndexByte("STFGM", s[0]) < 0 {
		return false
	}
	rest := weigh(s[1:], 2, 7, 6, 5, 4, 3, 2)
	switch s[0] {
	case 'T', 'G':
		rest += 4
	case 'M':
		rest += 3
	}
	switch s[0] {
	case 'S', 'T':
		return s[8] == "JZIHGFEDCBA"[rest%11]
	case 'M':
		return s[8] == "XWUTRQPNJLK"[rest%11]
	}
	return s[8] == "XWUTRQPNMLK"[rest%11]
}

// isAadhaar: India, 2345 6789 0124 in its groups, by Verhoeff's scheme.
func isAadhaar(s string) bool {
	if !matches(s, "9999 9999 9999") && !matches(s, "9999-9999-9999") {
		return false
	}
	d := s[:4] + s[5:9] + s[10:]
	return d[0] >= '2' && verhoeff(d)
}

// isCURP: Mexico, eighteen characters with date, sex and state.
func isCURP(s string) bool {
	return matches(s, "AAAA999999AAAAAAX9") && isDay(s[6:8], s[8:10]) && strings.IndexByte("HMX", s[10]) >= 0
}

// verhoeff checks a digit made in the dihedral group of order ten.
func verhoeff(digits string) bool {
	c := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		for range i % 8 {
			d = int("1576283094"[d] - '0')
		}
		c = dihedral(c, d)
	}
	return c == 0
}

// dihedral multiplies in the group of the ten symmetries of a pentagon.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return (a+b-5)%5 + 5
	case b < 5:
		return (a-5+5-b)%5 + 5
	}
	return (a - b + 5) % 5
}
