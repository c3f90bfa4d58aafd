package probe

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
)

// redirectQuery is what is compared of redirects whose Location differs in its query
// alone.
const redirectQuery = "the redirect's query"

// placeDifferences compares where two redirects lead. That is their result (RFC
// 9110, 15.4), so it is compared whatever headers the contract names. A query
// alone may hold a signature or a time, as links do that are made anew: whether it
// may differ is told by promise.same_headers.
func (r rules) placeDifferences(first, again *trace.Answer) []difference {
	a, b := trace.Get(first.Header, "Location"), trace.Get(again.Header, "Location")
	if first.Status/100 != 3 || again.Status != first.Status || len(a) != 1 || r.compared("Location") {
		return nil
	}
	gone := difference{what: "header Location", a: a[0], b: absent(strings.Join(b, ", "))}
	if len(b) != 1 {
		return []difference{gone}
	}
	one, two := led(a[0], b[0])
	if one == two {
		return nil
	}
	if withoutQuery(one) != withoutQuery(two) {
		return []difference{gone}
	}
	if r.op.Promise.SameHeaders != nil {
		return nil
	}
	return []difference{{what: redirectQuery, unknown: true}}
}

// compared says that the contract has a header compared.
func (r rules) compared(name string) bool {
	for _, h := range r.op.Promise.SameHeaders {
		if strings.EqualFold(h, name) {
			return true
		}
	}
	return false
}

// led gives both places as far as they can be compared: a relative one has the
// host of its request (RFC 9110, 10.2.2).
func led(a, b string) (one, two string) {
	if strings.HasPrefix(a, "/") != strings.HasPrefix(b, "/") {
		return hostless(a), hostless(b)
	}
	return a, b
}

func hostless(place string) string {
	if _, rest, ok := strings.Cut(place, "://"); ok {
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			return rest[i:]
		}
		return "/"
	}
	return place
}

// withoutQuery gives a place without its query and fragment.
func withoutQuery(place string) string {
	if i := strings.IndexAny(place, "?#"); i >= 0 {
		return place[:i]
	}
	return place
}
