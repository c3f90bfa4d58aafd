package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/trace"
)

// Which replica answered: by the header of target.instance where it stands on
// an answer, which refusals may lack; else by the base URL that was asked, where
// there are several.

// balanced says that replicas stand behind one URL, where somebody else chooses
// which of them a request meets.
func balanced(c *contract.Contract) bool {
	return c != nil && len(c.Target.BaseURLs) == 1 && c.Target.Instance != ""
}

// replicated says that the contract gives more than one replica, or how to tell
// them apart.
func replicated(c *contract.Contract) bool {
	return c != nil && (len(c.Target.BaseURLs) > 1 || c.Target.Instance != "")
}

// instanceName is what an answer's header names its instance; "" where it names
// none. A field that stands there more than once names one by all of it.
func instanceName(x *Exchange, header string) string {
	if header == "" || !x.Whole() {
		return ""
	}
	return strings.Trim(strings.Join(trace.Get(x.Answer.Header, header), ", "), ", \t")
}

// instances tells the replicas of one step's answers apart.
type instances struct {
	header string
	urls   int                 // base URLs of the contract
	byURL  map[string][]string // names that answers of a base URL have
	names  []string            // of all answers, sorted
	asked  []string            // base URLs that gave whole answers
}

// instances reads the step's answers.
func (j *judging) instances() *instances {
	in := &instances{header: j.contract.Target.Instance, urls: len(j.contract.Target.BaseURLs), byURL: map[string][]string{}}
	names, asked := map[string]bool{}, map[string]bool{}
	for _, t := range j.history.Trials {
		for _, x := range t.Exchanges {
			if !x.Whole() || x.Sent == nil {
				continue
			}
			asked[x.Sent.Target] = true
			if name := instanceName(x, in.header); name != "" {
				names[name] = true
				if !slices.Contains(in.byURL[x.Sent.Target], name) {
					in.byURL[x.Sent.Target] = append(in.byURL[x.Sent.Target], name)
				}
			}
		}
	}
	in.names, in.asked = slices.Sorted(maps.Keys(names)), slices.Sorted(maps.Keys(asked))
	return in
}

// of names the instance that gave an answer; "" where nothing tells.
func (in *instances) of(x *Exchange) string {
	if name := instanceName(x, in.header); name != "" || !x.Whole() || x.Sent == nil {
		return name
	}
	switch known := in.byURL[x.Sent.Target]; {
	case len(known) == 1:
		return known[0] // it names itself on its other answers
	case len(known) == 0 && in.urls > 1:
		return "base URL " + x.Sent.Target
	}
	return ""
}

// apart says that two answers came from different instances for certain.
func (in *instances) apart(a, b *Exchange) bool {
	one, other := in.of(a), in.of(b)
	return one != "" && other != "" && one != other
}

// over gives the instances that gave these answers, sorted.
func (in *instances) over(xs []*Exchange) []string {
	var out []string
	for _, x := range xs {
		if name := in.of(x); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// mostNames is how many instances are named.
const mostNames = 8

func listed(names []string) string {
	if len(names) > mostNames {
		return strings.Join(names[:mostNames], ", ") + fmt.Sprintf(" and %d more", len(names)-mostNames)
	}
	return strings.Join(names, ", ")
}

// measureInstances adds to the evidence how many instances a step has reached.
func (j *judging) measureInstances() {
	if j.planted != nil || !replicated(j.contract) || !slices.Contains([]string{"duplicate", "concurrent", "conflict", "scope", "replicas"}, j.result.Step) {
		return
	}
	in := j.instances()
	switch n := len(in.names); {
	case n > 0:
		j.measure("instances", fmt.Sprintf("%d: %s", n, listed(in.names)), some(n, "instance", "instances")+" answered")
	case in.header != "" && len(in.asked) > 0 && in.urls == 1:
		j.measure("instances", "unknown: no answer has "+in.header, "no answer names its instance")
	case len(in.asked) > 0:
		j.measure("instances", some(len(in.asked), "base URL", "base URLs")+", not told apart by answers", some(len(in.asked), "base URL", "base URLs")+" answered")
	}
}
