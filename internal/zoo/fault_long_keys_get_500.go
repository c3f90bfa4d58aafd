package zoo

import (
	"bytes"
	"compress/flate"

	"github.com/idem-toolkit/idem/internal/reference"
)

var longKeysGet500 = Variant{
	Name:      "long-keys-get-500",
	What:      "an index takes no entries of more than 200 random bytes: long keys meet an error",
	Caught:    []string{"key-rules"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return smallIndex{b} },
}

type smallIndex struct{ reference.Behaviour }

func (i smallIndex) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	if key := call.Header.Get("Idempotency-Key"); packed(key) > 200 {
		a := reference.Refuse(500, "handler-failed", "index row size exceeds the maximum")
		return "", &a
	}
	return i.Behaviour.Key(s, call)
}

// packed is how long a text is once it is compressed, as index entries are.
func packed(text string) int {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression) // the level is one there is
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Len()
}
