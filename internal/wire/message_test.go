package wire

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEncodeGolden(t *testing.T) {
	for name, c := range map[string]struct {
		m    Message
		want string
	}{
		"body": {ping, "POST /v1/charges?x=1 HTTP/1.1\r\nHost: h:1\r\nUser-Agent: idem\r\n" +
			"Authorization: " + secret + "\r\nIdempotency-Key: k-1\r\nContent-Length: 15\r\n\r\n{\"amount\":1999}"},
		"no body":          {Message{Method: "GET", Target: "/"}, "GET / HTTP/1.1\r\nHost: h:1\r\nUser-Agent: idem\r\n\r\n"},
		"post of nothing":  {Message{Method: "POST", Target: "/"}, "POST / HTTP/1.1\r\nHost: h:1\r\nUser-Agent: idem\r\nContent-Length: 0\r\n\r\n"},
		"own agent, twice": {Message{Method: "GET", Target: "/", Header: [][2]string{{"user-agent", "me"}, {"A", "1"}, {"a", "2"}}}, "GET / HTTP/1.1\r\nHost: h:1\r\nuser-agent: me\r\nA: 1\r\na: 2\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.m.Encode("h:1")
			if err != nil || string(got) != c.want {
				t.Errorf("got %q, %v\nwant %q", got, err, c.want)
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	with := func(name, value string) Message {
		return Message{Method: "POST", Target: "/", Header: [][2]string{{name, value}}}
	}
	for name, m := range map[string]Message{
		"no method":           {Target: "/"},
		"method with space":   {Method: "PO ST", Target: "/"},
		"method with line":    {Method: "GET / HTTP/1.1\r\nX:", Target: "/"},
		"tunnel":              {Method: "CONNECT", Target: "/"},
		"no target":           {Method: "GET"},
		"absolute target":     {Method: "GET", Target: "http://elsewhere/"},
		"asterisk":            {Method: "OPTIONS", Target: "*"},
		"space in target":     {Method: "GET", Target: "/a b"},
		"line end in target":  {Method: "GET", Target: "/a\r\nX: y"},
		"fragment":            {Method: "GET", Target: "/a#b"},
		"raw UTF-8 in target": {Method: "GET", Target: "/é"},
		"header CR":           with("X", "a\rs3cr3t"),
		"header LF":           with("X", "a\nEvil: s3cr3t"),
		"header NUL":          with("X", "s3cr3t\x00"),
		"header DEL":          with("X", "s3cr3t\x7f"),
		"header name":         with("X Y", "a"),
		"header name empty":   with("", "a"),
		"header name line":    with("X\r\nY", "a"),
		"host":                with("Host", "other"),
		"length":              with("content-length", "1"),
		"transfer coding":     with("Transfer-Encoding", "chunked"),
		"connection":          with("Connection", "keep-alive"),
		"expect":              with("Expect", "100-continue"),
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := m.Encode("h")
			if err == nil {
				t.Fatalf("encoded %q", raw)
			}
			if strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error shows the value: %v", err)
			}
		})
	}
}

// Whatever is let through has as many lines as it should, and a hold splits
// it without changing a byte.
func TestEncodeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Message{
			Method: rapid.SampledFrom([]string{"GET", "POST", "DELETE"}).Draw(t, "method"),
			Target: "/" + rapid.String().Draw(t, "target"),
			Body:   rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			m.Header = append(m.Header, [2]string{rapid.StringMatching(`[A-Za-z-]{1,8}`).Draw(t, "name"), rapid.String().Draw(t, "value")})
		}
		raw, err := m.Encode("h")
		if err != nil {
			return
		}
		again, _ := m.Encode("h")
		if !bytes.Equal(raw, again) {
			t.Fatal("the same message is not the same bytes")
		}
		head, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
		lines := 3 + len(m.Header)
		if m.has("User-Agent") {
			lines--
		}
		if m.announcesLength() {
			lines++
		}
		if got := bytes.Count(head, []byte("\n")) + 1; got != lines || !bytes.Equal(body, m.Body) {
			t.Fatalf("%d lines, want %d; body %q in %q", got, lines, body, raw)
		}
		for _, h := range []Hold{HoldNothing, HoldBody, HoldHeader} {
			n, got := m.split(raw, h)
			switch got {
			case HoldNothing:
				if n != 0 {
					t.Fatal("a plain copy has a prefix")
				}
			case HoldBody:
				if n != len(raw)-1 || len(m.Body) == 0 {
					t.Fatal("the body hold keeps back more or less than the last byte of a body")
				}
			case HoldHeader:
				if !bytes.HasSuffix(raw[:n], []byte("\r\n")) || bytes.Contains(raw[:n], []byte("\r\n\r\n")) {
					t.Fatal("the header hold has let the head out, or cuts into a line")
				}
			}
			if h == HoldBody && len(m.Body) == 0 && got != HoldHeader {
				t.Fatal("without a body the header is to be held")
			}
		}
	})
}

func TestParseEndpoint(t *testing.T) {
	for in, want := range map[string][4]string{ // base URL: address, Host field, target of /x, String
		"http://127.0.0.1:8080":       {"127.0.0.1:8080", "127.0.0.1:8080", "/x", "http://127.0.0.1:8080"},
		"http://127.0.0.1:8080/":      {"127.0.0.1:8080", "127.0.0.1:8080", "/x", "http://127.0.0.1:8080"},
		"https://API.example/v2/":     {"api.example:443", "api.example", "/v2/x", "https://api.example/v2"},
		"http://api.example:80/a%2Fb": {"api.example:80", "api.example", "/a%2Fb/x", "http://api.example/a%2Fb"},
		"https://[::1]:8443":          {"[::1]:8443", "[::1]:8443", "/x", "https://[::1]:8443"},
	} {
		e, err := ParseEndpoint(in, nil)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := [4]string{e.address(), e.HostField(), e.Join("/x"), e.String()}; got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestParseEndpointRefuses(t *testing.T) {
	for _, in := range []string{
		"", "127.0.0.1:8080", "ftp://h", "http://", "http:///path", "http://user:s3cr3t@h", "http://h?token=s3cr3t",
		"http://h#s3cr3t", "http://h:0", "http://h:65536", "http://h:port", "http://ex ample", "http://é.example",
		"http://[fe80::1%25eth0]", "unix:/tmp/s3cr3t", "http:opaque", "http://h\r\nX: y",
	} {
		_, err := ParseEndpoint(in, nil)
		if err == nil {
			t.Errorf("%q was accepted", in)
		} else if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: the error shows a secret: %v", in, err)
		}
	}
}
