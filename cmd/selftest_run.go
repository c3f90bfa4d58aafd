package cmd

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/selftest"
	"github.com/idem-toolkit/idem/internal/zoo"
)

// selfTest is a self-test under way.
type selfTest struct {
	app     *App
	verify  *verifyOptions
	program string // that serves the variants: this one
	began   time.Time

	matrices []selftest.Matrix
	cases    []selfCase

	mu    sync.Mutex
	ports map[string]bool // in use by this run's checks
	done  int
}

// selfCase is one check: a variant on a store, and where its run belongs.
type selfCase struct {
	variant     zoo.Variant
	store       zoo.Store
	matrix, row int
	repeat      int
}

// plan adds the checks of one store.
func (t *selfTest) plan(store zoo.Store, variants []zoo.Variant) {
	m := selftest.Matrix{Store: string(store)}
	for _, v := range variants {
		if v.Lasting && store == zoo.Memory {
			m.LeftOut = append(m.LeftOut, selftest.LeftOut{Name: v.Name, Why: emptied})
			continue
		}
		if !shownOver(v, t.verify.http) {
			m.LeftOut = append(m.LeftOut, selftest.LeftOut{Name: v.Name, Why: "HTTP/" + v.HTTP + " alone shows it"})
			continue
		}
		m.Rows = append(m.Rows, selftest.Row{Subject: subject(v, store)})
		for i := range t.repeats(v) {
			t.cases = append(t.cases, selfCase{v, store, len(t.matrices), len(m.Rows) - 1, i})
		}
	}
	t.matrices = append(t.matrices, m)
}

// shownOver says whether a variant is what it says over the version of HTTP that
// --http chose. Its address is http, where auto is HTTP/1.1.
func shownOver(v zoo.Variant, chosen string) bool {
	return v.HTTP == "" || chosen == "" || v.HTTP == chosen || v.HTTP == contract.HTTP1 && chosen == contract.AutoHTTP
}

// subject is a variant as the matrix knows it. In memory no variant declares a
// crash, so that its step says so.
func subject(v zoo.Variant, store zoo.Store) selftest.Subject {
	s := selftest.Subject{Name: v.Name, What: v.What, Fault: v.IsFault(), Named: v.Caught, Unknowable: maps.Clone(v.Unknowable)}
	if store == zoo.Memory {
		if s.Unknowable == nil {
			s.Unknowable = map[string]string{}
		}
		s.Unknowable["crash"] = emptied
	}
	return s
}

const emptied = "a restart empties a store in memory"

// repeats is how often a variant is checked: --repeat is for races.
func (t *selfTest) repeats(v zoo.Variant) int {
	if subject(v, zoo.File).IsRace() {
		return t.verify.selfTest.repeat
	}
	return 1
}

// run carries out all checks, some at a time, store after store. It returns
// when all that it started is gone.
func (t *selfTest) run(ctx context.Context) selftest.Report {
	runs := make([]*selftest.Run, len(t.cases))
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range t.cases {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	ended := make([]time.Time, len(t.cases))
	started := make([]time.Time, len(t.cases))
	var workers sync.WaitGroup
	abreast := min(t.verify.selfTest.jobs, len(t.cases))
	for i := range abreast {
		workers.Go(func() {
			// A check is busiest as it begins: they do not begin together.
			pause(ctx, time.Duration(i)*stagger)
			for i := range next {
				started[i] = time.Now()
				run := t.check(ctx, t.cases[i])
				ended[i] = time.Now()
				if ctx.Err() == nil {
					runs[i] = &run
				}
				t.tell(t.cases[i], run)
			}
		})
	}
	workers.Wait()
	t.again(ctx, runs, ended)
	t.app.endProgress()
	return t.gather(ctx, runs, started, ended)
}

// mostAgain bounds the checks that are made again: where more are open, the
// machine is too busy for a self-test, and that is its result.
const mostAgain = 12

// again makes the checks once more, one after another, that left something open
// beside others: what a step could not settle for want of time. What was open is
// told in the report.
func (t *selfTest) again(ctx context.Context, runs []*selftest.Run, ended []time.Time) {
	var open []int
	for i, run := range runs {
		row := t.matrices[t.cases[i].matrix].Rows[t.cases[i].row]
		if run == nil || len(t.cases) == 1 {
			continue
		}
		if _, is := row.Open(*run); is {
			open = append(open, i)
		}
	}
	if len(open) > mostAgain {
		return
	}
	for _, i := range open {
		c := t.cases[i]
		if path := t.tracePath(c); path != "" {
			os.Rename(path, path+".open") // the first one's: kept where that can be
		}
		run := t.check(ctx, c)
		if ctx.Err() != nil {
			return
		}
		run.Again, _ = t.matrices[c.matrix].Rows[c.row].Open(*runs[i])
		runs[i], ended[i] = &run, time.Now()
	}
}

// stagger is how long after another the first checks begin.
const stagger = 500 * time.Millisecond

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// gather puts the runs into their rows. Where the self-test was interrupted
// rows without a run are left out.
func (t *selfTest) gather(ctx context.Context, runs []*selftest.Run, started, ended []time.Time) selftest.Report {
	from, to := make([]time.Time, len(t.matrices)), make([]time.Time, len(t.matrices))
	for i, run := range runs {
		if run == nil {
			continue
		}
		c := t.cases[i]
		row := &t.matrices[c.matrix].Rows[c.row]
		row.Runs = append(row.Runs, *run)
		if from[c.matrix].IsZero() || started[i].Before(from[c.matrix]) {
			from[c.matrix] = started[i]
		}
		if ended[i].After(to[c.matrix]) {
			to[c.matrix] = ended[i]
		}
	}
	for i := range t.matrices {
		m := &t.matrices[i]
		m.Took = to[i].Sub(from[i])
		if ctx.Err() != nil {
			m.Rows = slices.DeleteFunc(m.Rows, func(r selftest.Row) bool { return len(r.Runs) == 0 })
		}
	}
	return selftest.Report{Tool: tool(), Seed: t.verify.seed, Jobs: t.verify.selfTest.jobs, HTTP: t.verify.http, Matrices: t.matrices,
		Interrupted: ctx.Err() != nil}
}

// tell shows on standard error that a check ended: on a terminal one line that
// changes, with --verbose one line for each.
func (t *selfTest) tell(c selfCase, run selftest.Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	row := t.matrices[c.matrix].Rows[c.row]
	row.Runs = []selftest.Run{run}
	said := "as it must be"
	if wrong := row.Wrong(); len(wrong) > 0 {
		said = wrong[0]
	}
	switch {
	case t.app.Quiet:
	case t.app.Verbose:
		fmt.Fprintf(t.app.Err, "idem: %d of %d, %s on %s, %.1f s: %s\n", t.done, len(t.cases), c.variant.Name, c.store, run.Took.Seconds(), said)
	case t.app.ErrTTY && t.app.Terminal != nil:
		fmt.Fprintf(t.app.Terminal, "\r\x1b[K%5.1f s  %d of %d checks done, %s was the last", time.Since(t.began).Seconds(), t.done, len(t.cases), c.variant.Name)
	}
}
