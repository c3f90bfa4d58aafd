package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// book keeps what must outlive a crash: one line of JSON for each operation,
// with its effect and its record together, so that no kill falls between the
// two. What is under way is kept in memory alone: where the process dies before
// the line is written nothing has happened, and the key is free.
type book struct {
	retention, work, linger time.Duration
	broken                  string // --break

	mu      sync.Mutex
	file    *os.File
	records map[string]*entry
	effects map[string][]entry // by business id, in order
	running map[string]*running
}

// entry is one line: an effect, a record, or both.
type entry struct {
	Key    string    `json:"key,omitempty"`    // with its scope; empty: nothing is remembered
	Print  string    `json:"print,omitempty"`  // fingerprint of the request
	At     time.Time `json:"at"`               // the key's first use
	Answer answer    `json:"answer"`           // what the caller gets, now and again
	Effect string    `json:"effect,omitempty"` // business id that was charged; empty: no effect
	ID     string    `json:"id,omitempty"`     // of the effect
}

// answer is what a caller gets.
type answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	Body   json.RawMessage   `json:"body,omitempty"`
}

// running is an operation under way.
type running struct {
	print string
	ended chan struct{}
}

func openBook(path, broken string) (*book, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	b := &book{broken: broken, file: file, records: map[string]*entry{}, effects: map[string][]entry{}, running: map[string]*running{}}
	whole, lines := int64(0), bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var e entry
		if err != nil || json.Unmarshal(line, &e) != nil {
			break // the end, or a line that a crash has cut off
		}
		whole += int64(len(line))
		b.keep(e, broken == "forgets-on-restart")
	}
	if err := file.Truncate(whole); err != nil {
		return nil, err
	}
	_, err = file.Seek(whole, io.SeekStart)
	return b, err
}

func (b *book) keep(e entry, effectOnly bool) {
	if e.Effect != "" {
		b.effects[e.Effect] = append(b.effects[e.Effect], e)
	}
	if e.Key != "" && !effectOnly {
		b.records[e.Key] = &e
	}
}

// write makes an operation lasting.
func (b *book) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.file.Write(append(line, '\n')); err != nil {
		return err
	}
	b.keep(e, false)
	return b.file.Sync()
}

func (b *book) count(business string) []entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]entry{}, b.effects[business]...)
}

// found is what a key is when a request comes with it.
type found struct {
	first  bool     // new, or forgotten: it is this caller's now, who must call done
	record *entry   // it has a result
	other  *running // it is under way
}

// claim takes a key for a request, or says who has it.
func (b *book) claim(key, print string) found {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.records[key]; e != nil && time.Since(e.At) < b.retention {
		return found{record: e}
	}
	if r := b.running[key]; r != nil && b.broken != "no-claim" {
		return found{other: r}
	}
	b.running[key] = &running{print: print, ended: make(chan struct{})}
	return found{first: true}
}

// await is claim for APIs that let a duplicate wait for the first result.
func (b *book) await(r *http.Request, key, print string) (found, error) {
	for {
		f := b.claim(key, print)
		if f.other == nil {
			return f, nil
		}
		select {
		case <-f.other.ended:
		case <-r.Context().Done():
			return f, r.Context().Err()
		}
	}
}

// done gives a claim back. Whatever was to be remembered is written by then.
func (b *book) done(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.running[key]; r != nil {
		close(r.ended)
		delete(b.running, key)
	}
}

// perform does the work of an operation and writes it down.
func (b *book) perform(e entry, extra time.Duration) error {
	time.Sleep(b.work + extra)
	if err := b.write(e); err != nil {
		return err
	}
	time.Sleep(b.linger)
	return nil
}

// send writes an answer, with further header fields in pairs.
func (a answer) send(w http.ResponseWriter, more ...string) {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	for i := 0; i+1 < len(more); i += 2 {
		w.Header().Set(more[i], more[i+1])
	}
	if len(a.Body) > 0 {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.Status)
	w.Write(a.Body)
}

// says makes an answer of a value.
func says(status int, body any) answer {
	raw, err := json.Marshal(body)
	if err != nil {
		return answer{Status: http.StatusInternalServerError}
	}
	return answer{Status: status, Body: raw}
}

type object = map[string]any

// newID makes a name for what was made.
func newID(prefix string) string {
	b := make([]byte, 12)
	rand.Read(b) // never fails (crypto/rand)
	return prefix + hex.EncodeToString(b)
}

// fingerprint tells requests apart.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// readJSON reads one JSON object and gives it with its canonical text: members
// sorted, white space gone, number literals as they are.
func readJSON(body io.Reader) (object, string, error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, "", err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v object
	if err := d.Decode(&v); err != nil {
		return nil, "", err
	}
	if d.More() || v == nil {
		return nil, "", errors.New("not one JSON object")
	}
	return v, canonical(v), nil
}

func canonical(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// text gives a member that is a text, "" where it is none.
func text(v any, names ...string) string {
	s, _ := at(v, names...).(string)
	return s
}

// whole gives a member that is a whole number above 0, else 0.
func whole(v any, names ...string) int64 {
	n, _ := at(v, names...).(json.Number)
	i, err := n.Int64()
	if err != nil || i < 1 {
		return 0
	}
	return i
}

func at(v any, names ...string) any {
	for _, name := range names {
		o, _ := v.(object)
		v = o[name]
	}
	return v
}

// bearer gives the token of an Authorization header, "" where there is none.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}

// taking gives how much longer an operation is asked to take, at most 10 s:
// what makes it slow for a test.
func taking(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0
	}
	return min(max(d, 0), 10*time.Second)
}
