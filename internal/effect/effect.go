// Package effect counts effects from outside: what an operation really did,
// whatever its answers said (contract-v1, effects).
//
// A counter reads a number for one subject, the fresh values of an operation.
// It never guesses: what is not a whole number of effects is an error. Read
// set.go for how a contract's words become a counter, then one file for each
// kind.
package effect

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Subject is what is counted: the fresh values of one operation.
type Subject struct {
	Values map[string]string // JSON Pointer of the request to the value's text, as it stands there
	Text   string            // for people and traces: "order_id=o-1"
}

// Counter counts the effects that a subject has had. It is safe for concurrent
// use.
type Counter interface {
	// Count gives the number of effects, 0 or more. An error means that there is
	// no number, never that there are no effects.
	Count(ctx context.Context, s Subject) (int64, error)
	Close() error
}

// Witness is a counter that can tell what it asked and what came back.
type Witness interface {
	Counter
	// Look counts as Count does. Seen is for people who look for the fault:
	// `asked GET /v1/charges for $.data[*], got {"items":[]}`. It holds whatever
	// came back, secrets too, and is as long as that: mask it, then shorten it.
	Look(ctx context.Context, s Subject) (n int64, seen string, err error)
}

// ErrNoCounter is the error of every count where nothing counts.
var ErrNoCounter = errors.New("no counter: answers are the only evidence")

// none stands where effects are judged by responses.
type none struct{}

func (none) Count(context.Context, Subject) (int64, error) { return 0, ErrNoCounter }
func (none) Close() error                                  { return nil }

// fill puts fresh values in for {fresh:/pointer}, each escaped for its place.
func (s Subject) fill(text string, escape func(string) string) (string, error) {
	missing := ""
	filled := contract.FillFresh(text, func(pointer string) string {
		value, ok := s.Values[pointer]
		if !ok {
			missing = strconv.Quote(pointer)
		}
		return escape(value)
	})
	if missing != "" {
		return "", problem.New("", "the operation has no fresh value at %s", missing)
	}
	return filled, nil
}

// percent encodes all but the unreserved characters (RFC 3986, 2.3): right in
// a path segment and in a query alike.
func percent(value string) string {
	return strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
}

func raw(value string) string { return value }
