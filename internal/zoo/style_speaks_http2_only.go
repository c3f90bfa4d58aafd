package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var speaksHTTP2Only = Variant{
	Name:    "speaks-http2-only",
	What:    "the port speaks HTTP/2 alone, and hangs up on whoever begins with HTTP/1.1",
	HTTP:    "2",
	Says:    func(s *Says) { s.Target["http"] = `"2"` },
	Options: func(o *reference.Options) { o.HTTP2Only = true },
}
