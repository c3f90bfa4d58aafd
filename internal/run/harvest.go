package run

import (
	"maps"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

// phase makes a run ready that is half of a check in two: it says when it
// began, and a harvest is held to what was planted.
func (l *Live) phase() error {
	o := l.options
	if o.Phase == "" {
		return nil
	}
	epoch := o.Began.UTC().Format(time.RFC3339Nano)
	l.header.Phase, l.header.Epoch = o.Phase, epoch
	if o.Phase != trace.PhaseHarvest {
		return nil
	}
	p := o.Planted
	l.harvest = trace.Harvest{Run: o.RunID, Epoch: epoch}
	l.over = map[string]bool{}
	l.header.Planted = &trace.Planted{Run: p.Run.ID, Epoch: p.Run.Epoch, Remembered: p.Remembered}
	switch {
	case p.Run.SHA256 != o.Contract.SHA256:
		return problem.New(o.Contract.File, "the contract is not the one that was planted: its sha256 differs").
			WithHint("harvest with the contract as it was, or plant again")
	case p.Run.Profile != o.Contract.ProfileText():
		return problem.New(o.Contract.Where(o.Contract.ProfileAt), "this version of idem knows the profile %s otherwise than the one that planted (%s)",
			o.Contract.Profile, p.Run.Tool).WithHint("harvest with the version that planted, or plant again")
	case !maps.Equal(p.Run.Settings, settings(o)):
		return problem.New(o.Contract.File, "a variable that a number or duration of the contract reads has another value than when it was planted").
			WithHint("set %s as it was", strings.Join(o.Contract.Settings(), ", "))
	case l.now() < p.Last:
		return problem.New("", "the clock says that it is before the planting or the last harvest, which was at %s: times between them cannot be told",
			p.Epoch.Add(time.Duration(p.Last)).UTC().Format(time.RFC3339)).WithHint("set the clock right")
	}
	return nil
}

// now is when this run began, in nanoseconds on the planting's clock.
func (l *Live) now() int64 { return int64(l.options.Began.Sub(l.options.Planted.Epoch)) }

// plansOf makes an operation's plans for the run's phase.
func (l *Live) plansOf(op *contract.Operation, env probe.Env) ([]*probe.Plan, error) {
	switch l.options.Phase {
	case trace.PhasePlant:
		return probe.PlantPlans(op, env)
	case trace.PhaseHarvest:
		was := l.options.Planted.Run
		began, err := time.Parse(time.RFC3339, was.Began)
		if err != nil {
			return nil, problem.New("", "the plant file does not say when it was planted")
		}
		h, err := probe.HarvestPlans(op, env, probe.Env{RunID: was.ID, Seed: was.Seed, Began: began, Keys: env.Keys, Contract: env.Contract},
			l.options.Selection, l.options.Planted, l.now())
		if err != nil {
			return nil, err
		}
		l.harvest.Uses = append(l.harvest.Uses, h.Uses...)
		l.over[op.Name] = h.Over
		return h.Plans, nil
	}
	return probe.Plans(op, env, l.options.Selection)
}

// asPlanted holds the bodies that a harvest sends again to those that were
// planted. Masked places are held by the contract's digest alone: no digest of
// a secret is kept.
func (l *Live) asPlanted() error {
	if l.options.Planted == nil {
		return nil
	}
	for _, job := range l.jobs {
		for _, plan := range job.Plans {
			for _, q := range plan.Requests {
				r := l.options.Planted.Record(job.Operation.Name, strings.TrimPrefix(q.ID, probe.PlantStep+"/"))
				if r != nil && l.mask.Body(q.Body, int64(len(q.Body))).SHA256 != r.Request.Body.SHA256 {
					return problem.New("", "the body of %s, %s is not the one that was planted", job.Operation.Name, r.Name).
						WithHint("harvest with the files that it was planted with, or plant again")
				}
			}
		}
	}
	return nil
}

// Harvest is what a harvest uses of the planting. It must be written down
// before Run: whatever interrupts it, a key that may have been used is no
// longer one that was left alone.
func (l *Live) Harvest() trace.Harvest { return l.harvest }

// Idle says why nothing can be planted; its Text is empty where something can.
func (l *Live) Idle() probe.Reason {
	var first probe.Reason
	for _, job := range l.jobs {
		for _, p := range job.Plans {
			if p.Idle.Text == "" {
				return probe.Reason{}
			}
			if first.Text == "" {
				first = p.Idle
			}
		}
	}
	return first
}

// spare says which operations outlive the run: planted ones, until nothing
// more can be told of them.
func (l *Live) spare(operation, request string) bool {
	return l.options.Phase != "" && strings.HasPrefix(request, probe.PlantStep+"/") && !l.over[operation]
}

// Cleaned says that the run has called cleanup for the planted operations.
func (l *Live) Cleaned() bool {
	if len(l.options.Contract.Limits.Cleanup) == 0 || len(l.over) == 0 {
		return false
	}
	for _, over := range l.over {
		if !over {
			return false
		}
	}
	return true
}

// plantedCompanions are the companions that planted keys were sent with: a
// retry's bytes are the first one's.
func (l *Live) plantedCompanions() map[string]string {
	sent := map[string]string{}
	if l.options.Planted == nil {
		return sent
	}
	for _, op := range l.options.Contract.Operations {
		if op.Key.Companion == nil {
			continue
		}
		for _, r := range l.options.Planted.Records {
			if values := trace.Get(r.Request.Header, op.Key.Companion.Header); r.Operation == op.Name && len(values) > 0 {
				sent[op.Name+"\x00"+r.Request.Key] = values[len(values)-1]
			}
		}
	}
	return sent
}
