package reference

import "sync"

// hub wakes those who wait for a record.
type hub struct {
	mu     sync.Mutex
	topics map[string]*topic
}

// topic is one record's waiters. changed is closed once, and the topic is gone
// from then on.
type topic struct {
	changed  chan struct{}
	watchers int
}

// join adds a waiter; first says that nobody waited for this record before.
func (h *hub) join(id string) (t *topic, first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.topics == nil {
		h.topics = map[string]*topic{}
	}
	t, found := h.topics[id]
	if !found {
		t = &topic{changed: make(chan struct{})}
		h.topics[id] = t
	}
	t.watchers++
	return t, !found
}

// leave removes a waiter, and the topic with its last one.
func (h *hub) leave(id string, t *topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.watchers--; t.watchers == 0 && h.topics[id] == t {
		delete(h.topics, id)
	}
}

// wake wakes everyone who waits for a record.
func (h *hub) wake(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, found := h.topics[id]; found {
		close(t.changed)
		delete(h.topics, id)
	}
}

// wakeAll wakes everyone, for when notifications may have been lost.
func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, t := range h.topics {
		close(t.changed)
		delete(h.topics, id)
	}
}
