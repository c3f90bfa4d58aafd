package zoo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var joinsValues = Variant{
	Name:   "joins-values",
	What:   "the fingerprint joins values with nothing between them: a character may move from one to the next",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {first: Anna, last: Lee}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return joined{b} },
}

type joined struct{ reference.Behaviour }

func (joined) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, func(body any) any {
		var b strings.Builder
		join(&b, body)
		return b.String()
	})
}

func join(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			join(b, v[name])
		}
	case []any:
		for _, item := range v {
			join(b, item)
		}
	default:
		fmt.Fprint(b, v)
	}
}
