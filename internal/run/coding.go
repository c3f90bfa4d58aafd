package run

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"

	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// plainBody takes the content coding off an answer's body (RFC 9110, 8.4.1):
// two codings of one answer may differ in bytes that mean nothing, and a secret
// could hide in one. Where that cannot be done the bytes stay as they came.
func plainBody(res wire.Result) (body []byte, size int64) {
	coding := strings.ToLower(strings.Join(trace.Get(res.Header, "Content-Encoding"), ","))
	if int64(len(res.Body)) != res.BodySize || len(res.Body) == 0 {
		return res.Body, res.BodySize
	}
	var in io.Reader
	var err error
	switch strings.TrimSpace(coding) {
	case "gzip", "x-gzip":
		in, err = gzip.NewReader(bytes.NewReader(res.Body))
	case "deflate":
		in, err = zlib.NewReader(bytes.NewReader(res.Body))
	default:
		return res.Body, res.BodySize
	}
	if err != nil {
		return res.Body, res.BodySize
	}
	plain, err := io.ReadAll(io.LimitReader(in, wire.DefaultMaxBody+1))
	if err != nil {
		return res.Body, res.BodySize
	}
	if len(plain) > wire.DefaultMaxBody {
		// Longer than anything that is kept: one byte more than there is says so.
		return plain[:wire.DefaultMaxBody], int64(len(plain))
	}
	return plain, int64(len(plain))
}
