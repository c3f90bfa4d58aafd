package zoo

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/reference"
)

var uuidKeys = Variant{
	Name: "uuid-keys",
	What: "keys are UUIDs, and any other text is refused",
	Says: func(s *Says) {
		s.Key["rules"] = "{min_length: 36, max_length: 36, pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', repeated: {status: [400]}, too_long: {status: [400]}}"
	},
	Behaviour: func(b reference.Behaviour) reference.Behaviour { return onlyUUIDs{b} },
}

type onlyUUIDs struct{ reference.Behaviour }

func (o onlyUUIDs) Key(s *reference.Service, call *reference.Call) (string, *reference.Answer) {
	key, refusal := o.Behaviour.Key(s, call)
	if refusal == nil && key != "" && !isUUID(key) {
		a := reference.Refuse(400, "key-invalid", "the Idempotency-Key is not a UUID")
		return "", &a
	}
	return key, refusal
}

func isUUID(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 5 {
		return false
	}
	for i, size := range []int{8, 4, 4, 4, 12} {
		if len(parts[i]) != size || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return false
		}
	}
	return true
}
