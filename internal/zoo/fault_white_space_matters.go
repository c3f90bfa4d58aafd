package zoo

import (
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var whiteSpaceMatters = Variant{
	Name:      "white-space-matters",
	What:      "the fingerprint depends on the white space between members",
	Caught:    []string{"reorder"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return countsSpace{b} },
}

type countsSpace struct{ reference.Behaviour }

func (countsSpace) Fingerprint(_ *reference.Service, call *reference.Call) string {
	inside, spaces := false, 0
	for i, c := range call.Body {
		switch {
		case c == '"' && !escaped(call.Body, i):
			inside = !inside
		case !inside && strings.ContainsRune(" \t\r\n", rune(c)):
			spaces++
		}
	}
	return sum(string(call.Canonical), strconv.Itoa(spaces))
}

// escaped says that an odd number of backslashes stands before a byte.
func escaped(text []byte, i int) bool {
	n := 0
	for ; i > n && text[i-1-n] == '\\'; n++ {
	}
	return n%2 == 1
}
