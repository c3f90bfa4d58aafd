package wire

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// noTable is the update that sets the size of the header table to 0 (RFC 7541,
// 6.3).
const noTable = 0x20

// encodeBlock gives the header block of a message as it travels to an endpoint:
// the fields of Encode without those that only HTTP/1.1 has (RFC 9113, 8.2 and
// 8.3). It uses no table, so the same message is the same bytes, always.
func encodeBlock(to Endpoint, m Message) []byte {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.SetMaxDynamicTableSize(0)
	scheme := "http"
	if to.secure {
		scheme = "https"
	}
	field := func(name, value string) {
		name = strings.ToLower(name)
		e.WriteField(hpack.HeaderField{Name: name, Value: strings.Trim(value, " \t"), Sensitive: !harmless[name]})
	}
	field(":method", m.Method)
	field(":scheme", scheme)
	field(":authority", to.host)
	field(":path", to.Join(m.Target))
	if !m.has("User-Agent") {
		field("user-agent", "idem")
	}
	for _, f := range m.Header {
		field(f[0], f[1])
	}
	if m.announcesLength() {
		field("content-length", strconv.Itoa(len(m.Body)))
	}
	// The encoder begins with the table's size, which is due only where the
	// server makes it smaller than it is by default.
	return bytes.TrimPrefix(block.Bytes(), []byte{noTable})
}

// harmless are the fields whose values are no secret. All others go as literals
// that no one on the way may put into a table (RFC 7541, 7.1.3).
var harmless = map[string]bool{
	":method": true, ":scheme": true, ":authority": true, "accept": true, "content-length": true,
	"content-type": true, "user-agent": true,
}

// Errors of answers over HTTP/2. They never repeat what the server sent.
var (
	errMalformed = errors.New("the head of the answer is malformed (RFC 9113, 8.1.1)")
	errLargeHead = errors.New("the head of the answer is too large")
	errTrailers  = errors.New("the answer has a second head, which is not trailers that end it (RFC 9113, 8.1)")
	errNoHead    = errors.New("the answer has a body before its head")
	errSwitches  = errors.New("the answer switches protocols, which HTTP/2 does not have")
	errEndless   = errors.New("an interim answer ends the stream (RFC 9113, 8.1)")
	errContent   = errors.New("the answer has a body, which an answer like it never has (RFC 9110, 6.4.1)")
)

// parseHead reads the head of an answer, which the framer has checked for
// names, values and order.
func parseHead(f *http2.MetaHeadersFrame) (head, error) {
	if f.Truncated {
		return head{}, errLargeHead
	}
	pseudo := f.PseudoFields()
	if len(pseudo) != 1 || pseudo[0].Name != ":status" {
		return head{}, errMalformed
	}
	status := pseudo[0].Value
	n, err := strconv.ParseUint(status, 10, 16)
	if err != nil || len(status) != 3 || n < 100 {
		return head{}, errMalformed
	}
	h := head{status: int(n)}
	for _, field := range f.RegularFields() {
		if hopByHop[field.Name] {
			return h, errors.New("the answer has the field " + field.Name + ", which HTTP/2 does not have (RFC 9113, 8.2.2)")
		}
		h.fields = append(h.fields, [2]string{field.Name, field.Value})
	}
	return h, nil
}

// hopByHop are the fields of a connection, which is not the message's over
// HTTP/2 (RFC 9113, 8.2.2).
var hopByHop = map[string]bool{
	"connection": true, "keep-alive": true, "proxy-connection": true, "transfer-encoding": true, "upgrade": true,
}
