package run

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"io"
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// mostPlain bounds what is read of a body beyond what is kept of it: a few bytes
// can stand for any number of them.
const mostPlain = 64 << 20

// plain is an answer's body without its content coding.
type plain struct {
	body  []byte
	size  int64  // of all of it
	rest  []byte // a digest of what body leaves out, nil where it has all
	coded bool   // the coding could not be taken off
}

// plainBody takes the content coding off an answer's body (RFC 9110, 8.4.1):
// two codings of one answer may differ in bytes that mean nothing, and a secret
// could hide in one. Where that cannot be done the bytes stay as they came.
func plainBody(res wire.Result) plain {
	coding := strings.TrimSpace(strings.ToLower(strings.Join(trace.Get(res.Header, "Content-Encoding"), ",")))
	asCame := plain{body: res.Body, size: res.BodySize, rest: res.BodyRest,
		coded: coding != "" && coding != "identity" && len(res.Body) > 0}
	if int64(len(res.Body)) != res.BodySize || len(res.Body) == 0 {
		return asCame
	}
	var in io.Reader
	var err error
	switch coding {
	case "gzip", "x-gzip":
		in, err = gzip.NewReader(bytes.NewReader(res.Body))
	case "deflate":
		in, err = zlib.NewReader(bytes.NewReader(res.Body))
	default:
		return asCame
	}
	if err != nil {
		return asCame
	}
	body, err := io.ReadAll(io.LimitReader(in, wire.DefaultMaxBody))
	if err != nil {
		return asCame
	}
	beyond := sha256.New()
	more, err := io.Copy(beyond, io.LimitReader(in, mostPlain))
	switch {
	case err != nil:
		return asCame
	case more > 0:
		return plain{body: body, size: int64(len(body)) + more, rest: beyond.Sum(nil)}
	}
	return plain{body: body, size: int64(len(body))}
}
