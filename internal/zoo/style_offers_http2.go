package zoo

var offersHTTP2 = Variant{
	Name: "offers-http2",
	What: "the port speaks HTTP/2 as well, to a client that begins with it: that is how it is checked",
	Says: func(s *Says) { s.Target["http"] = `"2"` },
}
