package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/bench/figures"
)

// results are the figures of one run.
type results struct {
	figures.Machine
	Seconds int            `json:"seconds"`
	Spreads []spread       `json:"spreads,omitempty"`
	Rates   []rate         `json:"rates,omitempty"`
	Safe    *safe          `json:"safe,omitempty"`
	Missing []string       `json:"missing,omitempty"` // what was left out, and why
	Gates   []figures.Gate `json:"gates,omitempty"`
}

// rig is the server with all ways to it, and what the run is asked for.
type rig struct {
	options
	plain, secure target
	single        target // a plain server that uses one processor
	relayed       target // plain, through the relay; no base without one
	fronts        []fronted
	rivals        rivals
	floors        []way // none where the server cannot be stopped
	words         io.Writer
	control       *http.Client
	keys          int
}

// measure starts what is measured on, and measures.
func measure(ctx context.Context, o options, words io.Writer) (*results, error) {
	began := time.Now()
	r := &results{Machine: figures.Here()}
	g := &rig{options: o, words: words, control: newControl()}
	defer g.control.CloseIdleConnections()
	stop, err := g.start(ctx, r)
	defer stop()
	if err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context, *results) error{g.spreads, g.rates, g.safeTrials} {
		if err := part(ctx, r); err != nil {
			return nil, err
		}
	}
	r.Gates = gates(r)
	r.Seconds = int(time.Since(began).Seconds())
	return r, nil
}

// say tells people what is going on.
func (g *rig) say(format string, args ...any) { fmt.Fprintf(g.words, format+"\n", args...) }

// newKeys gives one key for each of n copies: the same, or one of several. The
// copies of a key are neighbours, as in the bursts of a check.
func (g *rig) newKeys(n, different int) []string {
	g.keys += different
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("k-%08d", g.keys-i*different/n)
	}
	return keys
}

// roundLimit is how long one round may take.
const roundLimit = 10 * time.Second

// round releases copies and gives what the server saw of each key. An error
// that is no interruption means that the round does not count.
func (g *rig) round(ctx context.Context, w way, to target, path string, keys []string) ([]seen, error) {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	failed := w.release(ctx, to, path, keys)
	told := map[string]bool{}
	var all []seen
	arrived := 0
	for _, k := range keys {
		if told[k] {
			continue
		}
		told[k] = true
		one, err := g.seen(ctx, to, k)
		if err != nil {
			return nil, err
		}
		all, arrived = append(all, one), arrived+len(one.Ready)
	}
	if failed == nil && arrived != len(keys) {
		failed = fmt.Errorf("%d of %d copies arrived", arrived, len(keys))
	}
	return all, failed
}

// straight is the server that a target leads to, with nothing on the way.
func (g *rig) straight(to target) target {
	if to.base == g.single.base {
		return g.single
	}
	return g.plain
}

// seen asks the server behind a target what it saw of a key.
func (g *rig) seen(ctx context.Context, to target, key string) (one seen, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, g.straight(to).base+"/seen?key="+url.QueryEscape(key), nil)
	if err != nil {
		return one, err
	}
	response, err := g.control.Do(request)
	if err != nil {
		return one, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return one, fmt.Errorf("the server does not tell: %s", response.Status)
	}
	err = json.NewDecoder(response.Body).Decode(&one)
	io.Copy(io.Discard, response.Body)
	return one, err
}

// losses counts rounds that did not count, and keeps the first reason.
type losses struct {
	Lost int    `json:"lost,omitempty"`
	Why  string `json:"why,omitempty"`
}

func (l *losses) add(err error) {
	l.Lost++
	if l.Why == "" {
		why, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
		l.Why = why[:min(len(why), 200)]
	}
}

// newControl makes the client that asks the server what it saw.
func newControl() *http.Client {
	return &http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}
}
