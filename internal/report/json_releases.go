package report

import (
	"math"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

// How copies were released, for programs. Names that end with _ns are
// nanoseconds.

type jsonRelease struct {
	Copies      int             `json:"copies"` // of one key
	Keys        int             `json:"keys"`   // released together
	Protocol    string          `json:"protocol,omitempty"`
	Hold        string          `json:"hold,omitempty"` // as it came out: body, header, whole, none, mixed
	Apart       bool            `json:"apart"`          // each copy had a connection of its own
	Rounds      int             `json:"rounds"`
	Overlapped  int             `json:"overlapped"` // rounds that count
	Broken      int             `json:"broken"`     // of those that count
	NotCounted  []jsonUncounted `json:"not_counted"`
	Spread      jsonTimes       `json:"spread_ns"` // of a round: from its first copy written to its last, as sent
	Answers     jsonTimes       `json:"answer_ns"` // of a copy: from the release to its answer's first byte
	Connections jsonConnections `json:"connections"`
	Trip        time.Duration   `json:"round_trip_ns,omitempty"`
}

type jsonUncounted struct {
	Why    string `json:"why"`
	Rounds int    `json:"rounds"`
}

// jsonTimes are of so many measured; without any they mean nothing.
type jsonTimes struct {
	Measured int           `json:"measured"`
	Least    time.Duration `json:"least"`
	Median   time.Duration `json:"median"`
	Most     time.Duration `json:"most"`
}

type jsonConnections struct {
	Fewest int `json:"fewest"`
	Most   int `json:"most"`
}

type jsonPower struct {
	Hold     string        `json:"hold"`      // as planned: body or header
	Rounds   int           `json:"rounds"`    // that count
	Sigma    time.Duration `json:"sigma_ns"`  // of the gap between two copies at the server
	Measured bool          `json:"measured"`  // by the writes as they were sent
	Window   time.Duration `json:"window_ns"` // the smallest that would have shown 95 times of 100; 0: none
	Asked    time.Duration `json:"asked_window_ns,omitempty"`
	Reached  float64       `json:"asked_window_power,omitempty"` // chance that it would have shown, 0 to 1
	Wanted   float64       `json:"wanted_power,omitempty"`
}

type jsonPicture struct {
	Case     string         `json:"case"`
	Why      string         `json:"why"`
	Released int64          `json:"released,omitempty"` // nanoseconds since the run began; 0: not known, times count from the first write
	Copies   []jsonPictured `json:"copies"`
}

// jsonPictured has times since the release, negative before it; null is what
// never was.
type jsonPictured struct {
	Copy       int            `json:"copy"` // from 0, as in the trace
	Connection int            `json:"connection,omitempty"`
	Stream     int            `json:"stream,omitempty"`
	Instance   string         `json:"instance,omitempty"` // that answered, where that is known
	Hold       string         `json:"hold,omitempty"`
	Whole      bool           `json:"whole"` // all of it was written
	WriteBegan *time.Duration `json:"write_began_ns"`
	WriteEnded *time.Duration `json:"write_ended_ns"`
	FirstByte  *time.Duration `json:"first_byte_ns"`
	LastByte   *time.Duration `json:"last_byte_ns"` // where no answer came: when that was seen
	Status     int            `json:"status,omitempty"`
	Class      string         `json:"class"`
}

func releaseJSON(r probe.Release) jsonRelease {
	return jsonRelease{
		Copies: r.Copies, Keys: r.Keys, Protocol: r.Protocol, Hold: r.Hold, Apart: r.Apart,
		Rounds: r.Made, Overlapped: r.Overlapped, Broken: r.Broken,
		NotCounted:  mapped(r.Uncounted, func(u probe.Uncounted) jsonUncounted { return jsonUncounted(u) }),
		Spread:      timesJSON(r.Spread),
		Answers:     timesJSON(r.Answers),
		Connections: jsonConnections{r.Connections[0], r.Connections[1]},
		Trip:        r.Trip,
	}
}

func timesJSON(t probe.Times) jsonTimes { return jsonTimes{t.N, t.Least, t.Median, t.Most} }

func powerJSON(p probe.Power) jsonPower {
	return jsonPower{Hold: p.Hold, Rounds: p.Rounds, Sigma: p.Sigma, Measured: p.Measured, Window: p.Window,
		Asked: p.Asked, Reached: chance(p.Reached), Wanted: chance(p.Wanted)}
}

// chance is a number that JSON can hold, from 0 to 1.
func chance(p float64) float64 {
	if math.IsNaN(p) {
		return 0
	}
	return min(max(p, 0), 1)
}

func pictureJSON(p probe.Picture) jsonPicture {
	return jsonPicture{Case: p.Case, Why: p.Why, Released: p.Released, Copies: mapped(p.Copies, picturedJSON)}
}

func picturedJSON(c probe.Pictured) jsonPictured {
	out := jsonPictured{Copy: c.Copy, Connection: c.Connection, Stream: c.Stream, Instance: c.Instance, Hold: c.Hold, Whole: c.Whole,
		Status: c.Status, Class: c.Class}
	if c.Written {
		out.WriteBegan, out.WriteEnded = &c.WriteBegan, &c.WriteEnded
	}
	if c.Answered {
		out.FirstByte = &c.FirstByte
	}
	if c.Answered || c.LastByte != 0 {
		out.LastByte = &c.LastByte
	}
	return out
}
