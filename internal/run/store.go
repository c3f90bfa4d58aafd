package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/trace"
)

// store calls the hook that takes the record store away, or brings it back.
func (x *actor) store(ctx context.Context, a probe.Store) {
	hook := x.p.job.Target.Store
	if hook == nil {
		x.undone(a.Name(), "no hook is there that takes the record store away")
		return
	}
	done := hook(ctx, a.Up)
	if done.Error != "" {
		x.undone(a.Name(), fmt.Sprintf("the %s hook failed: %s", done.Store, done.Error))
		return
	}
	x.emit(a.Name(), 0, &trace.Event{Kind: trace.KindStore, Process: &done})
}

// outage is one operation's store_down block. Once its down hook was called,
// also one that failed half-way, the store is brought back before the run
// ends, whatever ends it.
type outage struct {
	world *world
	hooks *contract.StoreDown
}

// call runs a hook.
func (o *outage) call(ctx context.Context, up bool) trace.Process {
	p := trace.Process{Hook: true, Store: "down"}
	argv := o.hooks.Down
	if up {
		p.Store, argv = "up", o.hooks.Up
	} else if !slices.Contains(o.world.away, o) {
		o.world.away = append(o.world.away, o)
	}
	if err := process.RunHook(ctx, "store_down."+p.Store, o.world.live.command(argv), 0, hookMost); err != nil {
		p.Error = err.Error()
		return p
	}
	if up {
		o.world.away = slices.DeleteFunc(o.world.away, func(other *outage) bool { return other == o })
	}
	return p
}

// bringBack calls the up hook of every store that is still away.
func (w *world) bringBack() {
	for _, o := range slices.Clone(w.away) {
		ctx, done := context.WithTimeout(context.Background(), hookMost+time.Second)
		if p := o.call(ctx, true); p.Error != "" {
			w.left = append(w.left, "the record store may still be away: "+w.live.mask.Text(p.Error))
		}
		done()
	}
}
