package cmd

import (
	"fmt"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/stream"
	"github.com/idem-toolkit/idem/internal/trace"
)

// progress gives what shows a live run's progress on a terminal, nil where
// standard error is none or nobody wants to see it.
func (a *App) progress() func(*trace.Event) {
	if !a.ErrTTY || a.Quiet || a.Terminal == nil {
		return nil
	}
	var mu sync.Mutex
	var shown time.Duration
	sent := 0
	return func(e *trace.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == trace.KindSent {
			sent++
		}
		at := time.Duration(e.At)
		if e.Kind != trace.KindStep && at-shown < 200*time.Millisecond {
			return
		}
		shown = at
		fmt.Fprintf(a.Terminal, "\r\x1b[K%5.1f s  %d requests sent  %s", at.Seconds(), sent, e.Step)
	}
}

// streamProgress gives what shows how much of a stream is through, nil where its
// size in bytes is not known, standard error is no terminal, results go to the
// same one, or nobody wants to see it.
func (a *App) streamProgress(size int64) func(int64, stream.Result) {
	if size <= 0 || !a.ErrTTY || a.OutTTY || a.Quiet || a.Terminal == nil {
		return nil
	}
	begun := a.Now()
	var shown time.Duration
	return func(through int64, r stream.Result) {
		at := a.Now().Sub(begun)
		if at-shown < 200*time.Millisecond {
			return
		}
		shown = at
		size = max(size, through) // a file may grow
		fmt.Fprintf(a.Terminal, "\r\x1b[K%3d %%  %d lines  %.1f MB/s", through*100/size, r.Lines, float64(through)/1e6/at.Seconds())
		if r.Failed > 0 {
			fmt.Fprintf(a.Terminal, "  %d refused", r.Failed)
		}
	}
}

// endProgress takes the progress line away, so that the report begins clean.
func (a *App) endProgress() {
	if a.ErrTTY && !a.Quiet && a.Terminal != nil {
		fmt.Fprint(a.Terminal, "\r\x1b[K")
	}
}
