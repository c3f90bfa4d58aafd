package zoo

import (
	"net/http"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
)

// A variant that one version of HTTP alone shows is checked over that one, and a
// service that speaks HTTP/2 alone answers nobody else.
func TestVersionsOfHTTP(t *testing.T) {
	for _, v := range append(Faults(), Styles()...) {
		if v.HTTP != "" && v.HTTP != contract.HTTP1 && v.HTTP != contract.HTTP2 {
			t.Errorf("%s: %q is no version of HTTP", v.Name, v.HTTP)
		}
		c, err := contract.Parse(v.Name+".yaml", v.Contract(Memory), nil)
		if err != nil {
			t.Fatal(err)
		}
		if says := c.Target.HTTP; says != contract.AutoHTTP && v.HTTP != "" && says != v.HTTP || says == contract.AutoHTTP && v.HTTP == contract.HTTP2 {
			t.Errorf("%s: shown by HTTP/%s, and its contract says %s", v.Name, v.HTTP, says)
		}
	}
	for name, want := range map[string][2]bool{"speaks-http2-only": {false, true}, "offers-http2": {true, true}, "offers-upgrade": {true, true}} {
		v, ok := Style(name)
		if !ok {
			t.Fatalf("there is no style %s", name)
		}
		r := newRig(t, v)
		for i, c := range []*http.Client{client, clientOfHTTP2} {
			resp, err := c.Get(r.url + Ready)
			if err == nil {
				resp.Body.Close()
			}
			if (err == nil) != want[i] || err == nil && resp.ProtoMajor != i+1 {
				t.Errorf("%s, HTTP/%d: %v", name, i+1, err)
			}
			if offers := err == nil && resp.Header.Get("Upgrade") != ""; offers != (name == "offers-upgrade" && i == 0) {
				t.Errorf("%s, HTTP/%d: offers an upgrade: %v", name, i+1, offers)
			}
		}
	}
}
