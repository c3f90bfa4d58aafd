package reference

import (
	"hash/fnv"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Balancing says which of several replicas handles a request that comes to an
// address that they share.
type Balancing string

// Balancings.
const (
	NoBalancing       Balancing = ""
	InTurns           Balancing = "turns"       // requests go to each in turn
	ByConnections     Balancing = "connections" // all of a connection go to one
	ByCallers         Balancing = "callers"     // all of a host go to one
	balancingsInWords           = "turns, connections or callers"
)

// Check refuses what is none.
func (b Balancing) Check() error {
	switch b {
	case NoBalancing, InTurns, ByConnections, ByCallers:
		return nil
	}
	return problem.New("--balance", "is not "+balancingsInWords).Meaning(string(b), []string{string(InTurns), string(ByConnections), string(ByCallers)})
}

// Share has the requests that come to the service's own address handled by it
// and other replicas, as a balancer before them would. It is called before
// Serve; the others must serve for longer.
func (s *Service) Share(how Balancing, others ...*Service) {
	var all []http.Handler
	for _, one := range append([]*Service{s}, others...) {
		all = append(all, one.handler())
	}
	var turn atomic.Uint64
	s.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/admin/store" && s.options.Admin { // it is one store to whoever calls
			for _, one := range others {
				one.takeAway(r)
			}
			s.ServeHTTP(w, r)
			return
		}
		at := turn.Add(1) - 1
		if how != InTurns {
			at = spreadOf(how, r.RemoteAddr)
		}
		all[at%uint64(len(all))].ServeHTTP(w, r)
	})
}

// spreadOf gives a number to what is not to be spread.
func spreadOf(how Balancing, remote string) uint64 {
	if host, _, err := net.SplitHostPort(remote); err == nil && how == ByCallers {
		remote = host
	}
	h := fnv.New64a()
	h.Write([]byte(remote))
	sum := h.Sum64()
	return sum ^ sum>>32 // its last bits hang on the last bytes alone
}

// handler is the service with what stands before it.
func (s *Service) handler() http.Handler {
	if s.options.Handler != nil {
		return s.options.Handler(s)
	}
	return s
}
