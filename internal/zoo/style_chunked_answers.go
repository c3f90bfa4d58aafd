package zoo

import (
	"net/http"

	"github.com/idem-toolkit/idem/internal/reference"
)

var chunkedAnswers = Variant{
	Name:      "chunked-answers",
	What:      "answers come in chunks with pauses between, and the connection closes after each",
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return chunked{b} },
}

type chunked struct{ reference.Behaviour }

// piece is the size of one chunk in bytes; large answers have larger ones.
const piece = 64

func (chunked) Deliver(w http.ResponseWriter, _ *reference.Service, _ *reference.Call, a reference.Answer) {
	for _, f := range a.Header {
		w.Header().Add(f.Name, f.Value)
	}
	w.Header().Set("Connection", "close")
	w.WriteHeader(a.Status)
	size := max(piece, len(a.Body)/8)
	for body := a.Body; len(body) > 0; {
		n := min(size, len(body))
		if _, err := w.Write(body[:n]); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		body = body[n:]
	}
}
