package main

import (
	"net/http"
	"strconv"
	"time"
)

// gathering is some requests that wait for each other.
type gathering struct {
	missing int
	all     chan struct{}
}

// gatherLimit is how long a gathering waits for its last one.
const gatherLimit = 2 * time.Second

// gather answers when as many requests of one name are there as the query
// says: so a client that wants that many connections has to open them.
func (s *server) gather(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	n, err := strconv.Atoi(q.Get("n"))
	if err != nil || n < 1 || n > most {
		http.Error(w, "n", http.StatusBadRequest)
		return
	}
	if err := readBody(r); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name := key(r)
	s.mu.Lock()
	g := s.warm[name]
	if g == nil {
		g = &gathering{n, make(chan struct{})}
		s.warm[name] = g
	}
	g.missing--
	if g.missing == 0 {
		close(g.all)
		delete(s.warm, name)
	}
	s.mu.Unlock()
	select {
	case <-g.all:
		answer(w)
	case <-time.After(gatherLimit):
		http.Error(w, "the others did not come", http.StatusGatewayTimeout)
	}
}
