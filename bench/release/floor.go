package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// floor releases over HTTP/2 as idem does, on one connection and in one write,
// but at a server that stands still meanwhile and goes on when all of it lies in
// its socket; and nobody listens until it has answered. Who sends, and how, has
// no part then in how far apart the copies are, and takes no processor from the
// server: what is left is what it takes for them itself.
//
// It shares no code with what it is the measure of.
type floor struct {
	whole bool // requests are released, not the last byte of each
	still stillness
}

// stillness does something while the server is stopped. Whatever comes of that,
// the server goes on.
type stillness func(during func() error) error

func floorWays(still stillness) []way {
	return []way{{floorBody, floor{false, still}.release}, {floorWhole, floor{true, still}.release}}
}

// floorSettle is how long what was written is given to arrive: as long as idem
// gives it on loopback.
const floorSettle = time.Millisecond

// floorDeaf is how long nobody listens: several times what a server takes for
// thirty copies.
const floorDeaf = 5 * time.Millisecond

func (f floor) release(ctx context.Context, to target, path string, keys []string) error {
	t, err := dialTalk(ctx, to)
	if err != nil {
		return err
	}
	defer t.conn.Close()
	err = f.hold(t, path, keys)
	if err == nil {
		time.Sleep(floorSettle)
		err = f.let(t, path, keys)
	}
	return errors.Join(t.told(keys), err)
}

// hold sends all that goes before the release, and waits for the server to have
// read it.
func (f floor) hold(t *talk, path string, keys []string) error {
	if !f.whole {
		for i, k := range keys {
			t.head(i, path, k)
			t.write.WriteData(stream(i), false, []byte(body[:len(body)-1]))
		}
	}
	t.write.WritePing(false, [8]byte{})
	if err := t.send(); err != nil {
		return err
	}
	if err := t.until(func() bool { return t.ponged }); err != nil {
		return err
	}
	if len(t.status) > 0 {
		return errors.New("an answer before the release")
	}
	return nil
}

// let sends the rest while the server stands still, and reads the answers.
func (f floor) let(t *talk, path string, keys []string) error {
	last := body[len(body)-1:]
	if f.whole { // all heads before all bodies, as idem has them
		last = body
		for i, k := range keys {
			t.head(i, path, k)
		}
	}
	for i := range keys {
		t.write.WriteData(stream(i), true, []byte(last))
	}
	if err := deafen(t.conn, true); err != nil {
		return err
	}
	err := f.still(func() error {
		err := t.send()
		time.Sleep(floorSettle)
		return err
	})
	if err != nil {
		return err
	}
	time.Sleep(floorDeaf)
	if err := deafen(t.conn, false); err != nil {
		return err
	}
	return t.until(func() bool { return t.ended == len(keys) })
}

// stream is the id of a copy's stream.
func stream(i int) uint32 { return uint32(1 + 2*i) }

// talk is the least of a client's side of a connection over HTTP/2: it writes
// when it is told to, and reads when it waits for something.
type talk struct {
	conn              net.Conn
	scheme, authority string
	out               bytes.Buffer
	write             *http2.Framer // to out
	read              *http2.Framer
	block             bytes.Buffer
	fields            *hpack.Encoder // to block

	met    bool // the server's SETTINGS came
	ponged bool
	status map[uint32]string
	ended  int // streams
}

// dialTalk connects and exchanges the prefaces (RFC 9113, 3.4). All of the talk
// has as long as ctx.
func dialTalk(ctx context.Context, to target) (*talk, error) {
	u, err := url.Parse(to.base)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	if to.config == nil {
		conn, err = new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	} else {
		config := to.config.Clone()
		config.NextProtos = []string{http2.NextProtoTLS}
		conn, err = (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", u.Host)
	}
	if err != nil {
		return nil, err
	}
	if end, ok := ctx.Deadline(); ok {
		conn.SetDeadline(end)
	}
	t := &talk{conn: conn, scheme: u.Scheme, authority: u.Host, status: map[uint32]string{}}
	t.write, t.read = http2.NewFramer(&t.out, nil), http2.NewFramer(nil, conn)
	t.read.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	t.fields = hpack.NewEncoder(&t.block)
	t.fields.SetMaxDynamicTableSize(0)
	t.out.WriteString(http2.ClientPreface)
	t.write.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0})
	if err = t.send(); err == nil {
		err = t.until(func() bool { return t.met })
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return t, nil
}

// head puts the fields of a copy into what is sent next.
func (t *talk) head(i int, path, key string) {
	t.block.Reset()
	for _, f := range [][2]string{{":method", "POST"}, {":scheme", t.scheme}, {":authority", t.authority}, {":path", path},
		{"user-agent", "floor"}, {"content-type", "application/json"}, {"idempotency-key", key}, {"content-length", strconv.Itoa(len(body))}} {
		t.fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	t.write.WriteHeaders(http2.HeadersFrameParam{StreamID: stream(i), BlockFragment: t.block.Bytes(), EndHeaders: true})
}

// send writes all that was put together, in one write.
func (t *talk) send() error {
	_, err := t.conn.Write(t.out.Bytes())
	t.out.Reset()
	return err
}

// until reads until something has become so.
func (t *talk) until(so func() bool) error {
	for !so() {
		f, err := t.read.ReadFrame()
		if err == nil {
			err = t.take(f)
		}
		if err == nil && t.out.Len() > 0 {
			err = t.send()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take is what a frame of the server's says, and puts together what is owed for
// it.
func (t *talk) take(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.SettingsFrame:
		if !f.IsAck() {
			t.met = true
			t.write.WriteSettingsAck()
		}
	case *http2.PingFrame:
		if f.IsAck() {
			t.ponged = true
		} else {
			t.write.WritePing(true, f.Data)
		}
	case *http2.MetaHeadersFrame:
		t.status[f.StreamID] = f.PseudoValue("status")
		t.end(f.StreamEnded())
	case *http2.DataFrame:
		t.end(f.StreamEnded())
	case *http2.RSTStreamFrame:
		if f.ErrCode == http2.ErrCodeNo && t.status[f.StreamID] != "" {
			return nil // it has answered and wants no more (RFC 9113, 8.1)
		}
		return fmt.Errorf("the server reset stream %d: %v", f.StreamID, f.ErrCode)
	case *http2.GoAwayFrame:
		return fmt.Errorf("the server said goodbye: %v", f.ErrCode)
	}
	return nil
}

func (t *talk) end(ended bool) {
	if ended {
		t.ended++
	}
}

// told gives an error where a copy was not answered as meant.
func (t *talk) told(keys []string) error {
	for i := range keys {
		if s := t.status[stream(i)]; s != "" && s[0] != '2' {
			return fmt.Errorf("copy %d: status %s", i, s)
		}
	}
	return nil
}
