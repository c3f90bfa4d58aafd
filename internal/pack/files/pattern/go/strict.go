package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

var errAmbiguous = errors.New("not one unambiguous JSON text")

// maxDepth bounds how deep a body may nest.
const maxDepth = 16

// canonicalText gives a JSON text's RFC 8785 form. That form holds numbers as
// doubles: a number that is no double would share its form, and so its
// fingerprint, with one that is. Such a text is refused, and so is one that has
// a name twice in an object, or half a surrogate pair (RFC 8785, 3.1).
func canonicalText(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errAmbiguous
	}
	tokens := json.NewDecoder(bytes.NewReader(text))
	tokens.UseNumber()
	for depth := 0; ; {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errAmbiguous
		}
		switch token := token.(type) {
		case json.Number:
			if !exact(token.String()) {
				return nil, errAmbiguous
			}
		case json.Delim:
			if depth++; token == '}' || token == ']' {
				depth -= 2
			}
			if depth > maxDepth {
				return nil, errAmbiguous
			}
		}
	}
	if !json.Valid(text) { // the tokens of two texts in a row are no error yet
		return nil, errAmbiguous
	}
	return jcs.Transform(text)
}

// exact says whether a number is still the same after it was a double.
func exact(number string) bool {
	double, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	digits, power := scientific(number)
	kept, keptPower := scientific(strconv.FormatFloat(double, 'e', -1, 64))
	return digits == kept && (power == keptPower || digits == "")
}

// scientific gives a number's significant digits, and the power of ten of the
// first. The sign is left out.
func scientific(number string) (digits string, power int) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(number, "-")), "e")
	power, _ = strconv.Atoi(exponent) // what does not fit is no double either
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	digits = strings.TrimLeft(all, "0")
	return strings.TrimRight(digits, "0"), power + len(whole) - (len(all) - len(digits))
}
