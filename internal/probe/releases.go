package probe

import "time"

// Release is what all releases of one kind came to: of as many copies, in one
// protocol, held as it came out, over shared connections or over their own. Of
// a burst of several keys each key is a round.
type Release struct {
	Copies   int    // of one key
	Keys     int    // released together: 1, or more in a burst
	Protocol string // "HTTP/1.1", "HTTP/2"; empty where no copy was written
	Hold     string // as it came out: "body", "header", "whole", "none", or "mixed" where copies differ
	Apart    bool   // each copy had a connection of its own

	Made       int         // rounds
	Overlapped int         // of those made: their copies overlapped, held as meant; these count
	Broken     int         // of those that count: a promise was broken
	Uncounted  []Uncounted // why the others do not count, the commonest first

	Spread      Times         // of a round: from the first copy written to the last, as sent
	Answers     Times         // of a copy: from the release to its answer's first byte
	Connections [2]int        // the fewest and the most that one release took
	Trip        time.Duration // median of the TCP handshakes: one round trip
}

// Uncounted is how many rounds do not count for one reason.
type Uncounted struct {
	Why    string // "an answer came before its request was whole"
	Rounds int
}

// Times are the smallest, the median and the largest of so many measured times.
type Times struct {
	N                   int
	Least, Median, Most time.Duration
}

// Power is what the pairs that count could have shown under one hold, by the
// model of power.go: it is of windows in the server, and rests on how far apart
// two copies are taken to arrive.
type Power struct {
	Hold     string        // as planned: "body" or "header"; "header" over HTTP/2 is whole requests
	Rounds   int           // that count
	Sigma    time.Duration // of the gap between two copies at the server, the largest of its kinds
	Measured bool          // it is larger than the model's, by the writes as they were sent
	Window   time.Duration // the smallest that would have shown with 95 %; 0: none, since no round counts
	Asked    time.Duration // --window; 0: not asked
	Reached  float64       // chance that a window as long as Asked would have shown, 0 to 1
	Wanted   float64       // --power; 0: not asked
}

// Picture is one release, copy by copy.
type Picture struct {
	Case     string // the round
	Why      string // "broke a promise", "the last pair that overlapped", "the stampede"
	Released int64  // nanoseconds since the run began; 0: not known, times count from the first write
	Copies   []Pictured
}

// Pictured is one copy of a picture. Times are since the release, and negative
// before it.
type Pictured struct {
	Copy       int // from 0, as the trace has it
	Connection int
	Stream     int    // of HTTP/2; 0: none
	Instance   string // that answered, where answers tell or several base URLs do; empty: not known
	Hold       string // as it came out; empty: it was not held
	Written    bool   // some of it was written: WriteBegan and WriteEnded are there
	Whole      bool   // all of it was
	WriteBegan time.Duration
	WriteEnded time.Duration
	Answered   bool          // an answer began: FirstByte is there, and LastByte
	FirstByte  time.Duration // of the answer
	LastByte   time.Duration // of the answer; where none came, when that was seen
	Status     int           // 0: no whole answer
	Class      string        // "won", "result", "another result", "in flight", "refused", "no answer", "not processed"
}
