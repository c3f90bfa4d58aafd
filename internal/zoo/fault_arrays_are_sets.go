package zoo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var arraysAreSets = Variant{
	Name:   "arrays-are-sets",
	What:   "the fingerprint sorts arrays: another order of the items is the same request",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, metadata: {items: ["a-1", "b-2"]}}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return sortsArrays{b} },
}

type sortsArrays struct{ reference.Behaviour }

func (sortsArrays) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, sorted)
}

func sorted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = sorted(member)
		}
	case []any:
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return v
}
