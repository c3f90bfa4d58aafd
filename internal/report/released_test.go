package report

import (
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
)

const us = time.Microsecond

// held is one copy of a picture that was written and answered whole.
func held(n, conn, stream int, wrote, first, last time.Duration, status int, class string) probe.Pictured {
	return probe.Pictured{Copy: n, Connection: conn, Stream: stream, Hold: "body", Written: true, Whole: true, WriteBegan: wrote - 2*us, WriteEnded: wrote,
		Answered: true, FirstByte: first, LastByte: last, Status: status, Class: class}
}

// released is what a race over HTTP/2 leaves: pairs under both holds, bursts,
// a stampede, a copy that was never answered, and one that nothing was done with.
func released() probe.Result {
	s := raced()
	s.Evidence.Releases = []probe.Release{
		{Copies: 2, Keys: 1, Protocol: "HTTP/2", Hold: "body", Made: 5, Overlapped: 4, Connections: [2]int{1, 1}, Trip: 40 * us,
			Uncounted: []probe.Uncounted{{Why: "an answer came before its request was whole", Rounds: 1}},
			Spread:    probe.Times{N: 5}, Answers: probe.Times{N: 10, Least: 4100 * us, Median: 5100 * us, Most: 12 * time.Millisecond}},
		{Copies: 2, Keys: 1, Protocol: "HTTP/2", Hold: "whole", Made: 5, Overlapped: 5, Broken: 1, Connections: [2]int{1, 1}, Trip: 40 * us,
			Spread: probe.Times{N: 5, Median: 1 * us, Most: 2 * us}, Answers: probe.Times{N: 10, Least: 4100 * us, Median: 5300 * us, Most: 30 * time.Second}},
		{Copies: 2, Keys: 1, Protocol: "HTTP/1.1", Hold: "header", Apart: true, Made: 5, Overlapped: 5, Connections: [2]int{2, 2}, Trip: 40 * us,
			Spread: probe.Times{N: 5, Median: 21 * us, Most: 310 * us}, Answers: probe.Times{N: 10, Least: 4100 * us, Median: 5100 * us, Most: 6 * time.Millisecond}},
		{Copies: 2, Keys: 15, Protocol: "HTTP/2", Hold: "body", Made: 30, Overlapped: 28, Connections: [2]int{1, 2},
			Uncounted: []probe.Uncounted{{Why: "its copies did not overlap", Rounds: 2}},
			Spread:    probe.Times{N: 30, Median: 3 * us, Most: 44 * us}, Answers: probe.Times{N: 60, Median: 8 * time.Millisecond, Most: 90 * time.Millisecond}},
		{Copies: 30, Keys: 1, Protocol: "HTTP/2", Hold: "body", Made: 1, Overlapped: 1, Connections: [2]int{1, 1},
			Spread: probe.Times{N: 1, Median: 4 * us, Most: 4 * us}, Answers: probe.Times{N: 30, Median: 9 * time.Millisecond, Most: 14 * time.Millisecond}},
	}
	s.Evidence.Powers = []probe.Power{
		{Hold: "body", Rounds: 32, Sigma: 40 * us, Window: 40 * us, Asked: 100 * us, Reached: 0.99998, Wanted: 0.99},
		{Hold: "header", Rounds: 10, Sigma: 91 * us, Measured: true, Window: 64 * us},
	}
	s.Evidence.Pictures = []probe.Picture{
		{Case: "2 copies, header hold, round 3", Why: "broke a promise", Released: 100 * ms, Copies: []probe.Pictured{
			held(0, 3, 1, 12*us, 5100*us, 5180*us, 201, "won"), held(1, 3, 3, 12*us, 6200*us, 6900*us, 201, "result")}},
		{Case: "30 copies, body hold", Why: "the stampede", Released: 200 * ms, Copies: stampeded()},
		{Case: "2 copies, body hold, round 5", Why: "the last pair that overlapped", Released: 300 * ms, Copies: []probe.Pictured{
			held(0, 9, 0, 12*us, 3*time.Millisecond, 3*time.Millisecond, 409, "in flight"),
			{Copy: 1, Connection: 10, Hold: "body", Written: true, Whole: true, WriteBegan: 33 * us, WriteEnded: 34 * us, LastByte: 30 * time.Second, Class: "no answer"}}},
	}
	return s
}

// undisturbed is a run whose races met no double, released in every way.
func undisturbed() probe.Report {
	r := passing()
	s := &r.Operations[0].Steps[1]
	e := released().Evidence
	e.Releases[1].Broken = 0
	e.Pictures = e.Pictures[1:]
	e.Effects, e.Controls = s.Evidence.Effects, s.Evidence.Controls
	e.Measures = []probe.Measure{{Name: "rounds", Value: "46, overlapped 43", Text: "43 of 46 rounds count: in 1 an answer came before its request was whole"}}
	s.Evidence, s.Notes = e, []string{"no double in 43 overlapped rounds",
		"body hold: 32 pairs would have shown a window of 40µs or longer with 95 %, if copies arrive as modelled"}
	return r
}

// stampeded are thirty copies: one won, most waited for its result, some were
// refused at once, one was reset and one never written.
func stampeded() []probe.Pictured {
	var out []probe.Pictured
	for i := range 30 {
		at := time.Duration(i)
		c := held(i, 5, 2*i+1, 4*us, 9*time.Millisecond+at*50*us, 9*time.Millisecond+at*60*us, 201, "result")
		switch {
		case i == 7:
			c = held(i, 5, 2*i+1, 3*us, 8*time.Millisecond, 8100*us, 201, "won")
		case i > 20 && i < 28:
			c = held(i, 5, 2*i+1, 4*us, time.Millisecond+at*20*us, time.Millisecond+at*21*us, 409, "in flight")
		case i == 28:
			c.Answered, c.Status, c.Class, c.LastByte = false, 0, "not processed", 4*time.Millisecond
		case i == 29:
			c = probe.Pictured{Copy: i, Class: "no answer"}
		}
		out = append(out, c)
	}
	return out
}
