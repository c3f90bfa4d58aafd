package probe_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// targets are the real servers under testdata/targets as they were seen to
// behave when they were probed by hand, under the contracts that are there.
var targets = []struct {
	name      string
	contract  string
	behaviour behaviour
	want      string
}{
	{
		// Its middleware takes the key alone, waits in flight, and keeps results
		// in memory for 4.1 to 5 s after the first answer.
		name:     "fiber",
		contract: "fiber/contract.yaml",
		behaviour: behaviour{memory: true, late: true, fingerprint: "none", from: "completion",
			retention: 4500 * time.Millisecond},
		want: "conflict fail conflict/first-result-returned\n" +
			"crash fail crash/effect-ran-twice",
	},
	{
		// Every hit is answered with the stored result, and then the handler
		// runs again; nothing is ever forgotten.
		name:     "express-idempotency, plain",
		contract: "express/plain.contract.yaml",
		behaviour: behaviour{memory: true, late: true, inFlight: 409, conflict: 417,
			fault: "answers, then runs + never forgets"},
		want: "duplicate fail duplicate/effect-ran-twice\n" +
			"concurrent fail concurrent/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"conflict fail conflict/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"reorder fail reorder/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"crash fail crash/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-duplicate/effect-ran-twice expiry/never-forgets expiry/forgot-early<-duplicate/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice<-duplicate/effect-ran-twice",
	},
	{
		// So slow that the end of a stampede comes when its first is done.
		name:     "express-idempotency, plain, on a busy machine",
		contract: "express/plain.contract.yaml",
		behaviour: behaviour{memory: true, late: true, inFlight: 409, conflict: 417, intake: 3 * time.Millisecond,
			fault: "answers, then runs + never forgets"},
		want: "duplicate fail duplicate/effect-ran-twice\n" +
			"concurrent fail concurrent/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"conflict fail conflict/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"reorder fail reorder/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"crash fail crash/effect-ran-twice<-duplicate/effect-ran-twice\n" +
			"expiry fail expiry/ran-more-than-once<-duplicate/effect-ran-twice expiry/never-forgets expiry/forgot-early<-duplicate/effect-ran-twice\n" +
			"disconnect fail disconnect/effect-ran-twice<-duplicate/effect-ran-twice",
	},
	{
		name:      "express-idempotency, asks isHit",
		contract:  "express/is-hit.contract.yaml",
		behaviour: behaviour{memory: true, late: true, inFlight: 409, conflict: 417, fault: "never forgets"},
		want: "crash fail crash/effect-ran-twice\n" +
			"expiry fail expiry/never-forgets",
	},
}

func TestTargets(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "targets", filepath.FromSlash(target.contract)))
			if err != nil {
				t.Fatal(err)
			}
			r, _ := play(t, scene{contract: string(text), behaviour: target.behaviour})
			if got := verdicts(r); got != target.want {
				t.Errorf("got:\n%s\nwant:\n%s", outcome(r), target.want)
			}
		})
	}
}
