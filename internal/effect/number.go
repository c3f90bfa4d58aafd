package effect

import (
	"errors"
	"strconv"
	"strings"
)

// whole reads a count. Numbers as JSON may write them are let through where
// they are whole: 3, 3.0, 3e0.
func whole(text string) (int64, error) {
	if isDigits(text) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
		return 0, errors.New("a number too large to be a count")
	}
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(text, "xXpP_iInN"):
		return 0, errors.New("not a number")
	case n < 0:
		return 0, errors.New("a negative number")
	case n >= 1<<53:
		return 0, errors.New("a number too large to be a count")
	case n != float64(int64(n)):
		return 0, errors.New("a fractional number")
	}
	return int64(n), nil
}

// isDigits takes 0 and [1-9][0-9]*.
func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == "" && (text == "0" || text[0] != '0')
}
