package run

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// companions remember when each key was first sent. A server that counts a
// key's age from what its companion says would take one that holds the run's
// beginning for old, and refuse it (OASIS Repeatable Requests 1.0).
type companions struct {
	mu    sync.Mutex
	sent  map[string]string // by key
	shown map[string]bool   // requests recorded with their companion
}

// at gives when a key was first sent, now where it was not, and whether the
// request was not recorded with it yet.
func (c *companions) at(key, request string) (text string, unrecorded bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sent == nil {
		c.sent = map[string]string{}
	}
	if c.shown == nil {
		c.shown = map[string]bool{}
	}
	text, ok := c.sent[key]
	if !ok {
		text = probe.Companion(time.Now())
		c.sent[key] = text
	}
	unrecorded = !c.shown[request]
	c.shown[request] = true
	return text, unrecorded
}

// header gives a request's header as it travels. Where its companion is filled
// in for the first time, the trace gets the request as it is from then on.
func (x *actor) header(q *probe.Request) [][2]string {
	if q.Companion == "" {
		return q.Header
	}
	text, unrecorded := x.r.companions.at(x.p.job.Operation.Name+"\x00"+q.Key, x.p.job.Operation.Name+"\x00"+q.ID)
	filled := *q
	filled.Header = slices.Clone(q.Header)
	for i := range filled.Header {
		if strings.EqualFold(filled.Header[i][0], q.Companion) {
			filled.Header[i][1] = text
		}
	}
	if unrecorded {
		x.p.record(x.r, &trace.Event{Kind: trace.KindRequest, Request: x.r.recorded(&filled)})
	}
	return filled.Header
}
