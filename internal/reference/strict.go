package reference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// maxDepth bounds how deep a body may nest.
const maxDepth = 64

// canonical is the RFC 8785 form of a JSON object, or why the text is refused:
// what two readers could understand differently would give two requests one
// fingerprint. The reason quotes nothing of the text.
func canonical(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the body is not UTF-8")
	}
	if err := scan(text); err != nil {
		return nil, err
	}
	// Transform also refuses duplicate names and lone surrogates.
	out, err := jcs.Transform(text)
	if err != nil {
		return nil, errors.New("the body has a name twice in one object, or a broken escape")
	}
	return out, nil
}

// scan checks syntax, depth and numbers, token by token.
func scan(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	depth, first := 0, true
	for first || depth > 0 {
		token, err := dec.Token()
		if err != nil {
			return errors.New("the body is not JSON")
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
			if first && v != '{' {
				return errors.New("the body is not a JSON object")
			}
		case json.Number:
			if !exact(v.String()) {
				return errors.New("the body has a number that does not survive in an IEEE 754 double")
			}
		}
		if first && depth == 0 {
			return errors.New("the body is not a JSON object")
		}
		if depth > maxDepth {
			return fmt.Errorf("the body nests deeper than %d levels", maxDepth)
		}
		first = false
	}
	if !json.Valid(text) {
		return errors.New("the body is not one JSON text")
	}
	return nil
}

// exact says whether a number is the same after a round trip through a double.
// RFC 8785 canonicalises doubles, so of two neighbours that share one the
// second would be taken for the first (RFC 8785, 3.2.2.3; RFC 7493, 2.2).
func exact(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return false
	}
	digits, exponent, ok := decimal(number)
	shortest, power, _ := decimal(strconv.FormatFloat(f, 'e', -1, 64))
	return ok && digits == shortest && (exponent == power || digits == "")
}

// decimal splits a JSON number into its significant digits, without leading and
// trailing zeros, and the power of ten of the last of them. The sign is dropped.
func decimal(number string) (digits string, exponent int, ok bool) {
	mantissa, power, found := strings.Cut(strings.ToLower(strings.TrimPrefix(number, "-")), "e")
	if found {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return "", 0, false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	digits = strings.TrimRight(all, "0")
	return digits, exponent - len(fraction) + len(all) - len(digits), true
}

// formObject reads a form body as the JSON object it stands for: amount and
// work_ms are whole numbers, metadata[k] is a member of metadata.
func formObject(body []byte) ([]byte, error) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errors.New("the body is not a form")
	}
	object, metadata := map[string]any{}, map[string]any{}
	for name, list := range values {
		if len(list) != 1 {
			return nil, errors.New("the body has a field twice")
		}
		if !utf8.ValidString(name + list[0]) {
			return nil, errors.New("the body is not UTF-8")
		}
		inner, nested := strings.CutPrefix(name, "metadata[")
		if inner, closed := strings.CutSuffix(inner, "]"); nested && closed {
			metadata[inner] = list[0]
			continue
		}
		object[name] = list[0]
		if name == "amount" || name == "work_ms" {
			if n, err := strconv.ParseInt(list[0], 10, 64); err == nil {
				object[name] = n
			}
		}
	}
	if len(metadata) > 0 {
		if _, both := object["metadata"]; both {
			return nil, errors.New("the body has metadata as a field and as an object")
		}
		object["metadata"] = metadata
	}
	return json.Marshal(object)
}
