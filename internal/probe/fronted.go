package probe

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
)

// proxies are programs that mostly stand in front of a service, by how their
// Server field begins (RFC 9110, 10.2.4).
var proxies = []string{"nginx", "openresty", "envoy", "istio-envoy", "haproxy", "caddy", "varnish", "squid", "ats",
	"awselb", "cloudflare", "cloudfront", "google frontend", "akamaighost", "fly"}

// frontOf gives the words by which an answer says that something passed it on:
// that it has a Via field (RFC 9110, 7.6.3), or whose Server field it has; ""
// where it says nothing. What the target sent is not repeated.
func frontOf(x *Exchange) string {
	if !x.Whole() {
		return ""
	}
	if len(trace.Get(x.Answer.Header, "Via")) > 0 {
		return "Via"
	}
	for _, server := range trace.Get(x.Answer.Header, "Server") {
		server = strings.ToLower(server)
		for _, p := range proxies {
			rest, begins := strings.CutPrefix(server, p)
			if begins && (rest == "" || strings.ContainsRune("/ ,(", rune(rest[0]))) {
				return "Server: " + p
			}
		}
	}
	return ""
}

// tellFront notes where answers say that a proxy stands before the service. One
// that buffers requests ends a body hold and sends copies on at its own pace
// (release, Design), and neither can be seen from outside: an answer that comes
// before the body is whole would show that it does not, and no answer nothing.
func (j *judging) tellFront(tally *raceTally) {
	for _, r := range tally.all {
		for _, x := range r.race {
			if front := frontOf(x); front != "" {
				j.note("answers say %q: where that is a proxy that buffers requests, the service gets them whole and at the proxy's pace, "+
					"so the body hold ends before the service and copies arrive further apart than modelled", front)
				return
			}
		}
	}
}
