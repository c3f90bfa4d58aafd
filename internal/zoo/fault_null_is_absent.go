package zoo

import "github.com/idem-toolkit/idem/internal/reference"

var nullIsAbsent = Variant{
	Name:   "null-is-absent",
	What:   "the fingerprint leaves out members that are null, where types are promised to be judged strictly",
	Caught: []string{"conflict"},
	Says: func(s *Says) {
		s.Promise["conflict"] = "{status: [422], types: strict}"
		s.Request["body"] = `{order_id: "o-1", amount: 1999, currency: EUR, note: null}`
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return dropsNulls{b} },
}

type dropsNulls struct{ reference.Behaviour }

func (dropsNulls) Fingerprint(_ *reference.Service, call *reference.Call) string {
	return printOf(call, withoutNulls)
}

func withoutNulls(v any) any {
	members, _ := v.(map[string]any)
	for name, member := range members {
		if members[name] = withoutNulls(member); member == nil {
			delete(members, name)
		}
	}
	return v
}
