package report

import (
	"strconv"
	"strings"

	"github.com/fatih/color"
)

// page shows an operation on one page: what the contract says, a paragraph for
// each section, and of the plan one line for each step.
func (h human) page(op DryOperation) {
	column := 0
	for _, s := range op.Sections.named() {
		column = max(column, len(s.name))
	}
	for _, s := range op.Sections.named() {
		label := "  " + pad(s.name, column) + "  "
		for i, line := range fold(s.paragraph(), h.width()-len(label)) {
			if i == 0 {
				h.line("  %s  %s", h.colour(pad(s.name, column), color.Bold), line)
				continue
			}
			h.line("%s%s", pad("", len(label)), line)
		}
	}
	h.line("")
	h.steps(op.Steps)
}

// paragraph gives a section's facts in one line. What is left open comes last,
// what goes into detail or says that there is none is left out.
func (s section) paragraph() string {
	var parts, open []string
	for _, f := range s.facts {
		name := strings.ReplaceAll(clean(f.Name), "_", " ")
		switch {
		case f.Detail, !f.Open && f.List != nil && len(f.List) == 0:
		case f.Open:
			open = append(open, name)
		default:
			parts = append(parts, name+": "+f.text())
		}
	}
	if len(open) > 0 {
		parts = append(parts, "not said: "+strings.Join(open, ", "))
	}
	if len(parts) == 0 {
		return "nothing is said"
	}
	return strings.Join(parts, "; ")
}

// steps shows how much each step does.
func (h human) steps(steps []DryStep) {
	column := len("concurrent")
	for _, s := range steps {
		column = max(column, len(s.Step))
	}
	row := func(step string, cells ...string) {
		h.line("  %s  %9s %8s  %9s %8s", pad(step, column), cells[0], cells[1], cells[2], cells[3])
	}
	h.line("  %s  %18s  %18s", pad("", column), "operations", "requests")
	row("plan", "expected", "at most", "expected", "at most")
	var all amount
	for _, s := range steps {
		if s.Idle.Text != "" {
			h.prose("  "+pad(clean(s.Step), column)+"  ", "not planned: "+idleText(h.r.File, s.Idle))
			continue
		}
		all = all.and(s.amount())
		row(clean(s.Step), s.amount().cells()...)
	}
	if len(steps) > 1 {
		row("all", all.cells()...)
	}
}

// amount is how much is done: where every answer is final at once, and at most.
type amount struct{ ExpectMakes, Makes, ExpectSends, Sends int }

func (s DryStep) amount() amount { return amount{s.ExpectMakes, s.Makes, s.ExpectSends, s.Sends} }

func (a amount) and(b amount) amount {
	return amount{saturated(a.ExpectMakes, b.ExpectMakes), saturated(a.Makes, b.Makes),
		saturated(a.ExpectSends, b.ExpectSends), saturated(a.Sends, b.Sends)}
}

func (a amount) cells() []string {
	var cells []string
	for _, n := range []int{a.ExpectMakes, a.Makes, a.ExpectSends, a.Sends} {
		cells = append(cells, strconv.Itoa(n))
	}
	return cells
}
