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

// plainBody takes the content coding off an answer's body (RFC 9110, 8.4.1):
// two codings of one answer may differ in bytes that mean nothing, and a secret
// could hide in one. Where that cannot be done the bytes stay as they came.
//
// Rest is a digest of what body leaves out, nil where it has all.
func plainBody(res wire.Result) (body []byte, size int64, rest []byte) {
	coding := strings.ToLower(strings.Join(trace.Get(res.Header, "Content-Encoding"), ","))
	if int64(len(res.Body)) != res.BodySize || len(res.Body) == 0 {
		return res.Body, res.BodySize, res.BodyRest
	}
	var in io.Reader
	var err error
	switch strings.TrimSpace(coding) {
	case "gzip", "x-gzip":
		in, err = gzip.NewReader(bytes.NewReader(res.Body))
	case "deflate":
		in, err = zlib.NewReader(bytes.NewReader(res.Body))
	default:
		return res.Body, res.BodySize, res.BodyRest
	}
	if err != nil {
		return res.Body, res.BodySize, res.BodyRest
	}
	plain, err := io.ReadAll(io.LimitReader(in, wire.DefaultMaxBody))
	if err != nil {
		return res.Body, res.BodySize, res.BodyRest
	}
	beyond := sha256.New()
	more, err := io.Copy(beyond, io.LimitReader(in, mostPlain))
	switch {
	case err != nil:
		return res.Body, res.BodySize, res.BodyRest
	case more > 0:
		return plain, int64(len(plain)) + more, beyond.Sum(nil)
	}
	return plain, int64(len(plain)), nil
}
