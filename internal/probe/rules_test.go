package probe

import (
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// TestRedirectsAreNoResults holds that an answer that sends the request
// elsewhere is none, while 303 and 201 point at what was made.
func TestRedirectsAreNoResults(t *testing.T) {
	r := rules{&contract.Operation{}}
	for status, want := range map[int]bool{200: true, 201: true, 202: true, 303: true, 307: false, 308: false, 400: false, 500: false} {
		x := &Exchange{Answer: &trace.Answer{Outcome: trace.Answered, Status: status, Header: [][2]string{{"Location", "/v2/charges"}}}}
		if got := r.class(x).welcome; got != want {
			t.Errorf("%d is a result: %t", status, got)
		}
		if status == 307 {
			if got := r.tell(x); got != "status 307 to /v2/charges, and redirects are never followed" {
				t.Errorf("told as %q", got)
			}
		}
	}
}
