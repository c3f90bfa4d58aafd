package wire

import (
	"crypto/tls"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/idem-toolkit/idem/internal/trace"
)

// A copy apart rather goes over HTTP/1.1. Where the server has none, by an alert
// or by letting in whoever offers no HTTP/2, it takes a connection of HTTP/2 for
// itself; and a server without ALPN is no server of HTTP/2.
func TestApartOverWhatTheServerHas(t *testing.T) {
	var count atomic.Int64
	answersALPN := func(answers func(offered []string) []string) Endpoint {
		return secure(t, echo(&count), func(s *httptest.Server) {
			s.EnableHTTP2 = true
			s.Config.ErrorLog = discard
			s.TLS = &tls.Config{}
			s.TLS.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				c := s.TLS.Clone()
				c.NextProtos = answers(hello.SupportedProtos)
				return c, nil
			}
		})
	}
	for name, c := range map[string]struct {
		answers func(offered []string) []string
		want    string
	}{
		"both":              {func([]string) []string { return []string{"h2", "http/1.1"} }, "HTTP/1.1"},
		"HTTP/1.1":          {func([]string) []string { return []string{"http/1.1"} }, "HTTP/1.1"},
		"no ALPN":           {func([]string) []string { return nil }, "HTTP/1.1"},
		"HTTP/2, lets in":   {func([]string) []string { return []string{"h2"} }, "HTTP/2"},
		"HTTP/2, by alert":  {onlyHTTP2, "HTTP/2"},
		"nothing, by alert": {func([]string) []string { return []string{"other"} }, ""},
	} {
		all := copies(3, answersALPN(c.answers).Speaking(Negotiated), ping)
		for i := range all {
			all[i].Apart = true
		}
		results := client(Options{}).Release(background, all, HoldBody)
		for i, r := range results {
			if c.want == "" {
				if r.Outcome != trace.Refused {
					t.Errorf("%s, copy %d: %+v", name, i, r)
				}
			} else if r.Outcome != trace.Answered || r.Protocol != c.want || r.Hold != HoldBody {
				t.Errorf("%s, copy %d: %+v", name, i, r)
			}
		}
		if got := connections(results); c.want != "" && len(got) != 3 {
			t.Errorf("%s: %d connections", name, len(got))
		}
	}
}

func onlyHTTP2(offered []string) []string {
	if slices.Contains(offered, "h2") {
		return []string{"h2"}
	}
	return []string{"other"}
}
