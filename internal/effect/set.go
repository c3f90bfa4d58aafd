package effect

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/wire"
)

// World is what counters touch.
type World struct {
	Client   *wire.Client
	Endpoint wire.Endpoint // the base URL that the path of an http counter is joined to
	// Auth gives the header fields of the principal as whom an http counter
	// asks, which may sign the message; nil for none. It is called for each count.
	Auth      func(context.Context, wire.Endpoint, wire.Message) ([][2]string, error)
	LookupEnv func(string) (string, bool)
	Command   process.Command // directory, environment and mask of command counters
	Timeout   time.Duration   // of one reading; 0 is 10 s
}

// Set opens the counters of one run. Counters with one listening address share
// one sink.
type Set struct {
	world World

	mu       sync.Mutex
	sinks    map[string]*sink
	counters []Counter
}

// NewSet makes an empty set.
func NewSet(w World) *Set {
	if w.Timeout <= 0 {
		w.Timeout = 10 * time.Second
	}
	return &Set{world: w, sinks: map[string]*sink{}}
}

// Open makes the counter that a contract names, its ${NAME} filled in; nil is
// the same as responses. A sink listens from then on, so it must be opened
// before the first request is sent.
func (s *Set) Open(e *contract.Effects) (Counter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.open(e)
	if err != nil {
		return nil, err
	}
	s.counters = append(s.counters, c)
	return c, nil
}

func (s *Set) open(e *contract.Effects) (Counter, error) {
	if e == nil {
		return none{}, nil
	}
	switch e.Kind {
	case contract.ByResponses:
		return none{}, nil
	case contract.ByHTTP:
		return openHTTP(s.world, e)
	case contract.ByCommand:
		return openCommand(s.world, e)
	case contract.BySQL:
		return openSQL(s.world, e)
	case contract.BySink:
		return s.openSink(e)
	}
	return nil, problem.New("", "there is no counter of the kind %q", string(e.Kind)).
		WithHint("%s", strings.Join([]string{"http", "command", "sql", "sink", "responses"}, ", "))
}

func (s *Set) openSink(e *contract.Effects) (Counter, error) {
	at := e.Sink.Listen
	if s.sinks[at] == nil {
		opened, err := listen(at)
		if err != nil {
			return nil, err
		}
		s.sinks[at] = opened
	}
	return s.sinks[at].counter(e.Sink.Match, e.Sink.Distinct)
}

// Close closes all counters and stops listening.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for _, c := range s.counters {
		all = append(all, c.Close())
	}
	for _, k := range s.sinks {
		all = append(all, k.close())
	}
	s.counters, s.sinks = nil, map[string]*sink{}
	return errors.Join(all...)
}
