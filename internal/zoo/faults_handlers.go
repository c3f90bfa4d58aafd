package zoo

import (
	"context"
	"errors"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

// handlerFaults gives the faults that are named for slow, disconnect, outcome
// and fidelity.
func handlerFaults() []Variant {
	return []Variant{
		// slow
		claimNotRenewed,
		claimRenewedAFewTimes(),
		supersededOwnerAnswers,
		supersededOwnerGets503,
		waitersFailAtTheLease,
		slowResultNotRecorded,

		// disconnect
		hangUpLosesRecord,
		hangUpLeavesClaim,
		hangUpFreesKey,
		hangUpIsRecorded,
		hangUpEmptiesRecord,

		// outcome
		failureLeavesClaim,
		panicLeavesClaim,
		refusalLeavesClaim,
		failureIsStored,
		failureAfterEffect,
		refusalNotStored,
		refusalReplayedAs200,
		refusalKeptForGood,
		correctedNotRecorded,
		refusalHidesConflict,

		// fidelity
		largeAnswersNotStored,
		emptyAnswersNotStored,
		redirectsReplayedAs200,
		largeReplaysCut,
		redirectLeadsNowhere,
		redirectReplayedElsewhere,
		largeReplayClaimsGzip,
		emptyReplayUnmarked,
		emptyReplayRunsAgain,
	}
}

// gone says that the caller has hung up.
func gone(call *reference.Call) bool {
	select {
	case <-call.Gone:
		return true
	default:
		return false
	}
}

// effectAlone writes what an operation made and nothing of its key. Claimed
// keeps the key in flight for as long as keys are kept.
func effectAlone(ctx context.Context, s *reference.Service, c reference.Change, claimed bool) error {
	if claimed {
		if err := s.Store().Renew(ctx, c.Lease, c.Now.Add(s.Options().Retention+time.Minute)); err != nil {
			return err
		}
	}
	if c.Effect == nil {
		return nil
	}
	return s.Store().Commit(ctx, reference.Change{Payment: c.Payment, Effect: c.Effect, Now: c.Now})
}

// unfenced has an owner that lost its claim write its effect all the same.
type unfenced struct{ reference.Behaviour }

func (u unfenced) Commit(ctx context.Context, s *reference.Service, call *reference.Call, c reference.Change) error {
	if err := u.Behaviour.Commit(ctx, s, call, c); !errors.Is(err, reference.ErrLost) {
		return err
	}
	return effectAlone(ctx, s, c, false)
}
