package zoo

import (
	"context"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var replicaShowsOthers = Variant{
	Name:      "replica-shows-others",
	What:      "processes tell each other results by key alone: another caller gets them, wherever the first one was not",
	Caught:    []string{"replicas"},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return toldByKey{b} },
}

type toldByKey struct{ reference.Behaviour }

// Commit tells a result to the other processes, under no caller.
func (k toldByKey) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if err := k.Behaviour.Commit(ctx, s, call, c); err != nil || c.Answer == nil || !c.Keep {
		return err
	}
	told := reference.Ask{Key: call.Key, Scope: k.nobodys(s, call), Fingerprint: s.Behaviour().Fingerprint(s, call),
		Owner: s.Options().Instance + "/told", Now: c.Now, LeaseUntil: c.Now.Add(s.Options().Lease), Expires: c.Now.Add(s.Options().Retention)}
	rec, won, err := s.Store().Claim(ctx, told)
	if err != nil || !won {
		return err
	}
	return s.Store().Commit(ctx, reference.Change{Lease: rec.Lease, Answer: c.Answer, Keep: true, Now: c.Now})
}

func (k toldByKey) Claim(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask) (reference.Claim, error) {
	_, known, err := s.Store().Find(ctx, ask.ID())
	if err != nil || known {
		return k.claimOwn(ctx, s, call, ask, err)
	}
	told, found, err := s.Store().Find(ctx, k.nobodys(s, call).ID(call.Key))
	own := strings.HasPrefix(told.Lease.Owner, s.Options().Instance+"/")
	if err != nil || !found || own || told.State == reference.InProgress || told.Fingerprint != ask.Fingerprint {
		return k.claimOwn(ctx, s, call, ask, err)
	}
	return reference.Claim{Verdict: reference.Finished, Record: told}, nil
}

func (k toldByKey) claimOwn(ctx context.Context, s *reference.Service, call *reference.Call, ask reference.Ask, err error) (reference.Claim, error) {
	if err != nil {
		return reference.Claim{}, err
	}
	return k.Behaviour.Claim(ctx, s, call, ask)
}

// nobodys is the scope of a call without its caller.
func (k toldByKey) nobodys(s *reference.Service, call *reference.Call) reference.Scope {
	scope := k.Behaviour.Scope(s, call)
	scope.Caller = "nobody"
	return scope
}
