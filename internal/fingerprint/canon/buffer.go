package canon

import "slices"

// A buffer that has grown beyond these is not kept: after one huge text its
// memory is given back.
const (
	mostBytes    = 4 << 20
	mostElements = 64 << 10
)

// Reused empties a buffer for the next text, and gives up one that has grown so
// large that it is not worth keeping.
func Reused(b []byte) []byte { return reused(b, mostBytes) }

func reused[T any](b []T, most int) []T {
	if cap(b) > most {
		return nil
	}
	return b[:0]
}

// grown gives b, at its whole capacity, with room for that many bytes more.
func grown(b []byte, room int) []byte {
	if cap(b)-len(b) < room {
		next := make([]byte, len(b), max(len(b)+room, 2*cap(b)))
		copy(next, b)
		b = next
	}
	return b[:cap(b)]
}

// many members are so many that their room is not to grow step by step, each
// step with all of them twice.
const many = 16 << 10

// foresee makes room for as many members as the whole text has, if the rest of
// it is like what came so far.
func (p *pass) foresee() {
	n := len(p.members)
	more := int(float64(n) * float64(len(p.src)-p.at) / float64(p.at))
	p.members = slices.Grow(p.members, min(max(more+more/32, n/4), (len(p.src)-p.at)/len(`"":0,`)+1))
}
