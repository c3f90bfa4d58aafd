package zoo

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var sfStringKeys = Variant{
	Name:      "sf-string-keys",
	What:      "the key is a String of RFC 9651, quoted; anything else is refused",
	Says:      func(s *Says) { s.Key["syntax"] = "sf-string" },
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return quotedKeys{b} },
}

type quotedKeys struct{ reference.Behaviour }

func (q quotedKeys) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	values := call.Header.Values("Idempotency-Key")
	if len(values) != 1 {
		return q.Behaviour.Key(s, call)
	}
	key, ok := sfString(values[0])
	if !ok || key == "" || len(key) > 255 {
		a := reference.Refuse(400, "key-invalid", "the Idempotency-Key is not one quoted String (RFC 9651, 3.3.3)")
		return "", &a
	}
	return key, nil
}

// sfString reads a String (RFC 9651, 4.2.5).
func sfString(text string) (string, bool) {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", false
	}
	var b strings.Builder
	inner := text[1 : len(text)-1]
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		switch {
		case c == '\\':
			i++
			if i == len(inner) || inner[i] != '\\' && inner[i] != '"' {
				return "", false
			}
			c = inner[i]
		case c == '"', c < ' ', c > '~':
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}
