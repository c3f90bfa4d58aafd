package contract

import (
	"math"
	"math/bits"
	"strconv"
	"time"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// What must agree between the blocks of one operation.

// leaseMargin is what a dead owner's claim must end before the key is
// forgotten; else no wait could tell the two apart.
const leaseMargin = time.Second

// timesAgree holds the durations of an operation to one another (contract-v1,
// The file, at its end) and gives recovery its default.
func (r *reader) timesAgree(b *fields, o *Operation) {
	p := &o.Promise
	if p.RetryWindow.Known && p.Retention.Known && p.RetryWindow.Value >= p.Retention.Value.AtLeast {
		r.fail(problem.New(at(r.file, p.RetryWindow.Pos), "retry_window%s (%s) must be shorter than retention%s (%s)",
			r.of(p.RetryWindow.Pos), words(p.RetryWindow.Value), r.of(p.Retention.Pos), words(p.Retention.Value.AtLeast)).
			WithHint("a retry after its key is forgotten is a new operation"))
	}
	if e := o.Expiry; e != nil && e.Wait > 0 && len(e.BaseURLs) == 0 && p.Lease.Known && p.Lease.Value >= e.Wait-leaseMargin {
		n := b.Get("expiry").Member("wait")
		r.fail(problem.New(at(r.file, Pos{n.Line, n.Column}), "the lease%s (%s) and 1s must be below expiry.wait (%s) on one instance",
			r.of(p.Lease.Pos), words(p.Lease.Value), words(e.Wait)).
			WithHint("a longer wait, or expiry.base_urls for an instance of its own"))
	}
	if c := o.Crash; c != nil && c.Recovery == 0 {
		c.Recovery = p.Lease.Value
	}
}

// words spells a duration as people do: "24h", "1m30s".
func words(d time.Duration) string {
	s := d.String()
	for _, zero := range [...]string{"0s", "0m"} {
		if n := len(s) - len(zero); n > 0 && s[n:] == zero && (s[n-1] == 'm' || s[n-1] == 'h') {
			s = s[:n]
		}
	}
	return s
}

// exactNumbers refuses numbers in JSON bodies that the request fingerprint
// could not cover, since two bodies would share it (determ-v1, Admission and
// numbers): all but the ignored ones. Under reorder: bytes no number is read.
func (r *reader) exactNumbers(request *document.Node, o *Operation) {
	if o.Promise.Reorder.Value == "bytes" {
		return
	}
	ignored := make([]fingerprint.Pointer, 0, len(o.Fingerprint.Ignore))
	for _, s := range o.Fingerprint.Ignore {
		if p, err := fingerprint.ParsePointer(s); err == nil {
			ignored = append(ignored, p)
		}
	}
	check := func(body *Body, holder *document.Node) {
		if r.err != nil || body == nil || body.Kind != JSONBody || body.JSON == nil {
			return
		}
		n := holder.Lookup("body")
		if n == nil {
			n = holder.Lookup("body_file")
		}
		v, err := fingerprint.Parse(body.JSON)
		if err == nil {
			err = lossy(v, nil, ignored)
		}
		if err != nil {
			r.fail(placedIn(n, err, "the body"))
		}
	}
	check(&o.Request.Body, request)
	if o.Request.Slow != nil {
		check(o.Request.Slow.Body, request.Lookup("slow"))
	}
	for _, name := range sortedKeys(o.Request.Failing) {
		check(o.Request.Failing[name].Body, request.Lookup("failing").Lookup(name))
	}
	for _, name := range sortedKeys(o.Request.Variants) {
		check(o.Request.Variants[name].Body, request.Lookup("variants").Lookup(name))
	}
}

// lossy gives the error of the first number that RFC 8785 would change.
func lossy(v *fingerprint.Value, path fingerprint.Pointer, ignored []fingerprint.Pointer) error {
	for _, p := range ignored {
		if p.Covers(path) {
			return nil
		}
	}
	if v.Kind == fingerprint.KindNumber {
		_, err := v.Canonical(fingerprint.Strict, path.String())
		return err
	}
	for i, item := range v.Items {
		if err := lossy(item, append(path, strconv.Itoa(i)), ignored); err != nil {
			return err
		}
	}
	for _, m := range v.Members {
		if err := lossy(m.Value, append(path, m.Name), ignored); err != nil {
			return err
		}
	}
	return nil
}

// EffectiveRetention is how long a key is kept on the base URLs, for every
// step but expiry: expiry.wait stands in for at_least there, and at_most grows
// or shrinks with it; with expiry on an instance of its own, or by advancing
// the clock, the promise's own numbers hold. atMost is 0 where forgetting is
// not promised, known false where nothing says how long.
func (o *Operation) EffectiveRetention() (atLeast, atMost time.Duration, known bool) {
	return o.retention(o.Expiry != nil && len(o.Expiry.BaseURLs) == 0)
}

// ExpiryRetention is the same on the instance where expiry runs.
func (o *Operation) ExpiryRetention() (atLeast, atMost time.Duration, known bool) {
	return o.retention(o.Expiry != nil)
}

func (o *Operation) retention(waited bool) (atLeast, atMost time.Duration, known bool) {
	atLeast, atMost, known = o.statedRetention(waited)
	if o.Key.Companion != nil {
		// The server counts from what the companion says, in whole seconds: up to
		// one before the key was really sent first.
		atLeast = max(atLeast-time.Second, atLeast/2)
	}
	return atLeast, atMost, known
}

func (o *Operation) statedRetention(waited bool) (atLeast, atMost time.Duration, known bool) {
	k := o.Promise.Retention
	if !waited || o.Expiry.Wait == 0 {
		if !k.Known {
			return 0, 0, false
		}
		return k.Value.AtLeast, k.Value.AtMost, true
	}
	wait := o.Expiry.Wait
	if !k.Known || k.Value.AtMost == 0 {
		return wait, 0, true
	}
	return wait, scale(k.Value.AtMost, wait, k.Value.AtLeast), true
}

// scale gives d * by / of, rounded up; the longest duration where that is too
// long.
func scale(d, by, of time.Duration) time.Duration {
	if of <= 0 {
		return d
	}
	high, low := bits.Mul64(uint64(d), uint64(by))
	low, carry := bits.Add64(low, uint64(of)-1, 0)
	high += carry
	if high >= uint64(of) {
		return math.MaxInt64
	}
	if q, _ := bits.Div64(high, low, uint64(of)); q <= math.MaxInt64 {
		return time.Duration(q)
	}
	return math.MaxInt64
}
