package wire

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/nginx"
	"github.com/idem-toolkit/idem/internal/testneed"
	"github.com/idem-toolkit/idem/internal/trace"
)

// held is how long a copy is kept back beyond the settling, so that what a proxy
// does meanwhile is done. On a busy machine it takes longer: each try keeps the
// copies back for twice as long.
const held = 100 * time.Millisecond

// proxied is an nginx in front of a service that notes when it gets what.
type proxied struct {
	*nginx.Server
	client *Client

	mu     sync.Mutex
	header map[string]int64 // by key: when the header section was there
	body   map[string]int64 // when the body was whole
}

// ways in which nginx is spoken to.
var ways = []struct {
	name     string
	protocol Protocol
	secure   bool
}{
	{"HTTP/1.1", HTTP1, false},
	{"HTTP/1.1 over TLS", HTTP1, true},
	{"HTTP/2", HTTP2, false},
	{"HTTP/2 over TLS", Negotiated, true},
}

// behindNginx starts a service and an nginx in front of it. The client's clock
// is that of the service too.
func behindNginx(t *testing.T, c nginx.Config, o Options) *proxied {
	t.Helper()
	p := &proxied{client: client(o), header: map[string]int64{}, body: map[string]int64{}}
	note := func(m map[string]int64, r *http.Request) {
		p.mu.Lock()
		m[r.Header.Get("Idempotency-Key")] = p.client.options.Clock()
		p.mu.Unlock()
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(p.header, r)
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		note(p.body, r)
		w.WriteHeader(201)
	}))
	t.Cleanup(service.Close)
	c.Upstreams = []string{strings.TrimPrefix(service.URL, "http://")}
	p.Server = testneed.Nginx(t, c)
	return p
}

func (p *proxied) endpoint(t *testing.T, protocol Protocol, secure bool) Endpoint {
	t.Helper()
	base := "http://" + p.Plain
	switch {
	case secure:
		base = "https://" + p.Secure
	case protocol == HTTP2:
		base = "http://" + p.Prior
	}
	to, err := ParseEndpoint(base, p.Trust)
	if err != nil {
		t.Fatal(err)
	}
	return to.Speaking(protocol)
}

// keyed are copies with a key each, so that the service can tell them apart.
func keyed(n int, to Endpoint, more ...[2]string) []Copy {
	var all []Copy
	for i := range n {
		m := Message{Method: "POST", Target: "/v1/charges", Body: []byte(`{"amount":1999}`),
			Header: append([][2]string{{"Idempotency-Key", "k-" + strconv.Itoa(i)}}, more...)}
		all = append(all, Copy{Endpoint: to, Message: m})
	}
	return all
}

// saw gives when the service got a copy's header and body; 0 where it did not.
func (p *proxied) saw(i int) (header, body int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.header["k-"+strconv.Itoa(i)], p.body["k-"+strconv.Itoa(i)]
}

// TestHoldsThroughNginx: where nginx buffers, a service behind it sees nothing
// of a held request before its end; where it streams, the body hold goes through.
// A header hold is nginx's to wait for either way.
func TestHoldsThroughNginx(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		p := behindNginx(t, nginx.Config{Streaming: streaming}, Options{})
		for _, way := range ways {
			for _, hold := range []Hold{HoldBody, HoldHeader} {
				name := fmt.Sprintf("%s, streaming %t, %s hold", way.name, streaming, hold)
				all := keyed(2, p.endpoint(t, way.protocol, way.secure))
				eventually(t, func(c *complaints, try int) {
					for i := range all {
						all[i].After = held << try
					}
					for i, r := range p.client.Release(background, all, hold) {
						if r.Outcome != trace.Answered || r.Status != 201 || !r.Whole || r.Early() {
							t.Fatalf("%s: %+v", name, r)
						}
						header, body := p.saw(i)
						goes := streaming && hold == HoldBody
						switch early := header < r.WriteBegan; {
						case early && !goes || body < r.WriteBegan:
							t.Errorf("%s: the service had the header at %d and the body at %d, released at %d", name, header, body, r.WriteBegan)
						case !early && goes || r.Hold == HoldNothing:
							c.Errorf("%s: the service had the header at %d, released at %d, held %q", name, header, r.WriteBegan, r.Hold)
						case i == 0:
							t.Logf("%s: from the release to the header at the service %s, to the body %s", name,
								time.Duration(header-r.WriteBegan).Round(10*time.Microsecond), time.Duration(body-r.WriteBegan).Round(10*time.Microsecond))
						}
					}
				})
			}
		}
	}
}

// TestNginxLosesPatience: what nginx does not wait for ends before the release,
// and is told as not whole, so that its round does not count.
func TestNginxLosesPatience(t *testing.T) {
	for _, c := range []struct {
		name, directive string
		hold            Hold
		streaming       bool
	}{
		{"client_body_timeout", "client_body_timeout 100ms", HoldBody, false},
		{"client_body_timeout, streaming", "client_body_timeout 100ms", HoldBody, true},
		{"client_header_timeout", "client_header_timeout 100ms", HoldHeader, false},
	} {
		p := behindNginx(t, nginx.Config{Streaming: c.streaming, Server: []string{c.directive}}, Options{Timeout: 5 * time.Second})
		for _, way := range ways {
			all := keyed(2, p.endpoint(t, way.protocol, way.secure))
			eventually(t, func(late *complaints, try int) {
				all[0].After, all[1].After = time.Second<<try, time.Second<<try
				began := p.client.options.Clock()
				for i, r := range p.client.Release(background, all, c.hold) {
					// Of a copy that was to leave whole nothing had been written yet.
					if r.Whole || r.Outcome == trace.Answered && !r.Early() || r.Outcome == trace.TimedOut || r.Err == nil && r.Status == 0 {
						late.Errorf("%s, %s: copy %d: %+v", c.name, way.name, i, r)
					}
					if _, body := p.saw(i); body > began {
						late.Errorf("%s, %s: copy %d reached the service whole", c.name, way.name, i)
					}
				}
			})
		}
	}
}

// TestNginxAnswersForItself: its own refusals are answers with their status; one
// that comes before the request is whole is seen to be early.
func TestNginxAnswersForItself(t *testing.T) {
	long := [2]string{"X-Long", strings.Repeat("x", 20<<10)}
	for _, c := range []struct {
		name      string
		server    []string
		more      [][2]string
		status    int
		early     bool // in a body hold
		streaming bool
	}{
		{"413", []string{"client_max_body_size 10"}, nil, 413, true, false},
		{"413, streaming", []string{"client_max_body_size 10"}, nil, 413, true, true},
		{"413, not lingering", []string{"client_max_body_size 10", "lingering_close off"}, nil, 413, true, false},
		{"413, always lingering", []string{"client_max_body_size 10", "lingering_close always", "lingering_timeout 100ms"}, nil, 413, true, false},
		{"400, header too large", []string{"large_client_header_buffers 4 8k"}, [][2]string{long}, 400, true, false},
		{"403", []string{"deny all"}, nil, 403, true, false},
	} {
		p := behindNginx(t, nginx.Config{Streaming: c.streaming, Server: c.server}, Options{Timeout: 5 * time.Second})
		for _, way := range ways {
			all := keyed(2, p.endpoint(t, way.protocol, way.secure), c.more...)
			eventually(t, func(late *complaints, try int) {
				all[0].After, all[1].After = held<<try, held<<try
				for i, r := range p.client.Release(background, all, HoldBody) {
					says := late.Errorf
					if way.protocol != HTTP1 && c.more != nil {
						// Over HTTP/2 it ends the connection (ENHANCE_YOUR_CALM).
						if r.Outcome == trace.Answered || r.Err == nil {
							t.Errorf("%s, %s: copy %d: %+v", c.name, way.name, i, r)
						}
					} else if r.Outcome != trace.Answered || r.Status != c.status || r.Early() != c.early {
						if r.Outcome == trace.Answered && r.Status != c.status {
							says = t.Errorf
						}
						says("%s, %s: copy %d: %s %d, early %t, %v", c.name, way.name, i, r.Outcome, r.Status, r.Early(), r.Err)
					}
					if header, _ := p.saw(i); header != 0 {
						t.Errorf("%s, %s: copy %d reached the service", c.name, way.name, i)
					}
				}
			})
		}
	}
}
