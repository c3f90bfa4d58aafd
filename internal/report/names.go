package report

import (
	"fmt"
	"slices"

	"github.com/idem-toolkit/idem/internal/trace"
)

// namer gives letters to keys and bodies in the order in which they are met.
type namer struct {
	keys   []string
	bodies []string
	legend []meaning
}

func (n *namer) key(key string) string {
	i := slices.Index(n.keys, key)
	if i < 0 {
		i = len(n.keys)
		n.keys = append(n.keys, key)
		n.legend = append(n.legend, meaning{pad("key "+letter(i), 6), cut(clean(key), textMost)})
	}
	return letter(i)
}

func (n *namer) body(b trace.Body, change string) string {
	same := fmt.Sprintf("%d %s %s", b.Size, b.SHA256, b.Head)
	i := slices.Index(n.bodies, same)
	if i < 0 {
		i = len(n.bodies)
		n.bodies = append(n.bodies, same)
		text := wholeBody(b)
		if change != "" {
			text += " (" + clean(change) + ")"
		}
		n.legend = append(n.legend, meaning{"body " + letter(i), text})
	}
	return letter(i)
}

func wholeBody(b trace.Body) string {
	if b.Base64 {
		return shortBody(b)
	}
	s := cut(clean(b.Head), textMost)
	if b.Truncated || s != clean(b.Head) {
		s += fmt.Sprintf(" (%s)", plural(b.Size, "byte"))
	}
	return s
}

// letter names the first 26 things A to Z, then A2, B2, ...
func letter(i int) string {
	s := string(rune('A' + i%26))
	if i >= 26 {
		s += fmt.Sprint(i/26 + 1)
	}
	return s
}
