package zoo

import (
	"fmt"
	"net/http"
)

// behindOneURL has both replicas share one address, as a balancer before them
// would: how is a value of idem serve --balance.
func behindOneURL(how string) func(*Says) {
	return func(s *Says) {
		s.Target["base_urls"] = fmt.Sprintf(`["http://${%s}"]`, EnvAddress)
		s.Serve = append(s.Serve, "--balance", how)
	}
}

const instanceName = "X-Served-By"

// namesOnSuccess takes the instance's name off refusals, as proxies do whose
// further headers are for successes alone.
func namesOnSuccess(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&namelessRefusal{ResponseWriter: w}, r)
	})
}

type namelessRefusal struct{ http.ResponseWriter }

func (n *namelessRefusal) WriteHeader(status int) {
	if status >= 400 {
		n.Header().Del(instanceName)
	}
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the service set its deadlines.
func (n *namelessRefusal) Unwrap() http.ResponseWriter { return n.ResponseWriter }
