package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
)

// burstText names what a burst sends; where trials share it, the copies of each
// of them once.
func burstText(a probe.Burst) string {
	if len(a.Trials) == 0 {
		return fmt.Sprintf("%s together, one copy each: %s", plural(len(a.Requests), "request"), idsText(a.Requests))
	}
	ids := slices.Compact(slices.Clone(a.Requests))
	return fmt.Sprintf("%d copies together of %s: %s", len(a.Requests), plural(len(ids), "request"), idsText(ids))
}

func apartText(apart bool) string {
	if apart {
		return ", each on a connection of its own"
	}
	return ""
}

func holdText(h probe.Hold) string {
	switch h {
	case probe.HoldBody:
		return ", released by the last byte of the body"
	case probe.HoldHeader:
		return ", released by the end of the header section"
	}
	return ""
}

// targetsText says that copies go to several replicas.
func targetsText(targets []string) string {
	var names []string
	for _, t := range targets {
		if t == "" {
			t = "0"
		}
		if name := target(t); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", in turn to " + strings.Join(names, ", ")
}
