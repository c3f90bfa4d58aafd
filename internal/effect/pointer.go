package effect

import (
	"encoding/json"
	"strconv"
	"strings"
)

// tokens splits a JSON Pointer (RFC 6901).
func tokens(pointer string) ([]string, bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	all := strings.Split(pointer[1:], "/")
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for i := range all {
		all[i] = unescape.Replace(all[i])
	}
	return all, true
}

// at gives the text of the string or number that a pointer leads to.
func at(document any, path []string) (string, bool) {
	for _, token := range path {
		switch v := document.(type) {
		case map[string]any:
			document = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) || token != strconv.Itoa(i) {
				return "", false
			}
			document = v[i]
		default:
			return "", false
		}
	}
	switch v := document.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}
