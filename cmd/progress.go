package cmd

import (
	"fmt"
	"sync"
	"time"

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

// endProgress takes the progress line away, so that the report begins clean.
func (a *App) endProgress() {
	if a.ErrTTY && !a.Quiet && a.Terminal != nil {
		fmt.Fprint(a.Terminal, "\r\x1b[K")
	}
}
