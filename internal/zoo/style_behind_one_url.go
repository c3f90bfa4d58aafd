package zoo

import (
	"net/http"
	"time"

	"github.com/idem-toolkit/idem/internal/reference"
)

func behindOne() Variant {
	return Variant{
		Name: "behind-one-url",
		What: "replicas take turns behind one URL, and each answers with a Server field and other fields of its own",
		Says: behindOneURL("turns"),
		Options: func(o *reference.Options) {
			instance, began := o.Instance, time.Now()
			o.Handler = func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Server", "charges/2 ("+instance+")")
					w.Header().Set("X-Up-For", time.Since(began).String())
					if instance > "replica-1" {
						w.Header().Set("X-Cache", "MISS")
					}
					next.ServeHTTP(w, r)
				})
			}
		},
	}
}
