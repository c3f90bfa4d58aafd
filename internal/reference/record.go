package reference

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"
)

// Scope is what a key is unique within: the same key of another caller, or on
// another method, path or query, is another key.
type Scope struct {
	Caller string // digest of the caller's token, or "anonymous"
	Method string
	Path   string // escaped, as sent
	Query  string // raw, as sent
}

// ID is the record's primary key for an idempotency key in this scope, 64 hex
// digits. A digest of fixed size is indexed alike for every key: databases
// compare text by collation, and refuse index entries above a size limit that
// only random (incompressible) text reaches.
func (s Scope) ID(key string) string {
	return digest("record/1", s.Caller, s.Method, s.Path, s.Query, key)
}

// digest is the hex SHA-256 of its parts, each preceded by its length so that
// no two lists of parts read alike.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// State is where an operation stands.
type State string

const (
	InProgress State = "in_progress"
	Succeeded  State = "succeeded"
	Failed     State = "failed" // finished, with a status of 400 or above
)

// Record is all that is kept of one key in one scope.
type Record struct {
	Key         string
	Scope       Scope
	Fingerprint string // of the request that claimed the key
	State       State
	Answer      Answer // as sent; zero while in progress
	Intent      []byte // what was about to be done elsewhere; nil when nothing was
	Lease       Lease
	LeaseUntil  time.Time // how long a silent owner keeps the claim
	Created     time.Time // first use
	Expires     time.Time
}

// Lease is an owner's right to finish an operation. Owner is unique to the
// claim, so that neither a later claim nor a record deleted and made again can
// be completed by an earlier owner (a fencing token); Generation counts claims.
type Lease struct {
	ID         string // the record's
	Owner      string
	Generation int64
}

// ErrLost says that the lease is no longer the record's: another owner took
// over, or the record is gone. Nothing was written.
var ErrLost = errors.New("the lease was lost")

// Ask is a request for a key.
type Ask struct {
	Key         string
	Scope       Scope
	Fingerprint string
	Owner       string
	Now         time.Time
	LeaseUntil  time.Time
	Expires     time.Time // taken for a new record, kept by a take-over
}

// ID is the record asked for.
func (a Ask) ID() string { return a.Scope.ID(a.Key) }

// Claimable says whether an ask may have this record: it expired, or its owner
// died and the ask is for the same request. A live owner's record never is, nor
// one whose effect elsewhere may have happened, except to finish that.
// The stores decide the same in one atomic statement; this spares them writes.
func (r Record) Claimable(a Ask) bool {
	expired := !r.Expires.After(a.Now)
	if r.State != InProgress {
		return expired
	}
	if r.LeaseUntil.After(a.Now) {
		return false
	}
	return r.Fingerprint == a.Fingerprint || expired && r.Intent == nil
}

// Verdict is how a key stands towards a request.
type Verdict int

const (
	Won      Verdict = iota // the request owns the key and must finish
	Finished                // the same request was answered
	Mismatch                // the key is another request's
	Busy                    // the same request is being worked on
)

func (v Verdict) String() string {
	return [...]string{"won", "finished", "mismatch", "busy"}[v]
}

// Claim is the outcome of an ask, with the record as it is now.
type Claim struct {
	Verdict Verdict
	Record  Record
}

// judge tells how a record that could not be claimed stands towards an ask.
func judge(r Record, a Ask) Verdict {
	switch {
	case r.Fingerprint != a.Fingerprint:
		return Mismatch
	case r.State != InProgress:
		return Finished
	}
	return Busy
}

// Field is one header field.
type Field struct{ Name, Value string }

// Answer is what a caller gets: status, the fields that belong to the answer
// itself (neither Date nor the instance's name), and the exact body.
type Answer struct {
	Status int
	Header []Field
	Body   []byte
}

// With is the answer with one more field.
func (a Answer) With(name, value string) Answer {
	a.Header = append(a.Header[:len(a.Header):len(a.Header)], Field{name, value})
	return a
}

// Change is what one transaction writes: all of it, or nothing.
type Change struct {
	Lease   Lease   // zero: no record is touched, nothing is fenced
	Answer  *Answer // the record's answer; nil leaves the record in progress
	Keep    bool    // false: the record goes, so that the key is free again
	Payment *Payment
	Effect  *Effect
	Now     time.Time
	Extend  time.Time // the new expiry of a record that is past its own
}
