package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Selection is which steps and operations a run is told to do.
type Selection struct {
	Only, Skip []string // step names; Only empty: all
	Operations []string // empty: all
}

// Check refuses names that do not exist: a run that silently does nothing
// would look like one that found nothing.
func (s Selection) Check(c *contract.Contract) error {
	if err := s.CheckSteps(); err != nil {
		return err
	}
	for _, name := range s.Operations {
		if !slices.ContainsFunc(c.Operations, func(o *contract.Operation) bool { return o.Name == name }) {
			return problem.New(c.File, "the contract has no operation %q", name).Meaning(name, operationNames(c))
		}
	}
	return nil
}

// CheckSteps is Check for the steps alone, which need no contract.
func (s Selection) CheckSteps() error {
	for i, name := range append(slices.Clone(s.Only), s.Skip...) {
		flag := "--only"
		if i >= len(s.Only) {
			flag = "--skip"
		}
		switch {
		case name != strings.TrimSpace(name) || name == "":
			return problem.New(flag, "the name of a step is empty, or has a space around it").WithHint("%s duplicate,conflict, commas between and no spaces", flag)
		case !slices.Contains(StepNames(), name):
			return problem.New(flag, "there is no step %q", name).Meaning(name, StepNames())
		}
	}
	return nil
}

func operationNames(c *contract.Contract) []string {
	var names []string
	for _, op := range c.Operations {
		names = append(names, op.Name)
	}
	return names
}

// Chosen gives the operations that the selection leaves.
func (s Selection) Chosen(c *contract.Contract) []*contract.Operation {
	if len(s.Operations) == 0 {
		return c.Operations
	}
	var out []*contract.Operation
	for _, op := range c.Operations {
		if slices.Contains(s.Operations, op.Name) {
			out = append(out, op)
		}
	}
	return out
}

// leaves says why a step is left out, "" where it is not.
func (s Selection) leaves(step string) string {
	switch {
	case slices.Contains(s.Skip, step):
		return "left out by --skip"
	case len(s.Only) > 0 && !slices.Contains(s.Only, step):
		return "left out by --only"
	}
	return ""
}

// Plans makes all plans of an operation: the control's first, then every
// step's in the report's order. A step that is left out, or that has nothing
// to do, has an idle plan. Where all are idle the control is left out too.
func Plans(op *contract.Operation, env Env, s Selection) ([]*Plan, error) {
	control, err := planControl(op, env)
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", op.Name, err)
	}
	plans := []*Plan{control}
	idle := true
	for _, step := range Steps() {
		p, err := s.plan(step, op, env)
		if p == nil {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("operation %s, step %s: %w", op.Name, step.Name, err)
		}
		idle = idle && p.Idle.Text != ""
		plans = append(plans, p)
	}
	if idle {
		plans = plans[1:]
	}
	return plans, nil
}

// plan makes one step's plan: none for an extended step that the contract does
// not enable, unless the step was asked for by its name.
func (s Selection) plan(step Step, op *contract.Operation, env Env) (*Plan, error) {
	if why, missing := step.Missing(env.Contract, op); missing {
		if !slices.Contains(s.Only, step.Name) {
			return nil, nil
		}
		return &Plan{Operation: op.Name, Step: step.Name, Idle: why}, nil
	}
	if why := s.leaves(step.Name); why != "" {
		return &Plan{Operation: op.Name, Step: step.Name, Idle: Reason{Text: why}, Excused: true}, nil
	}
	return step.Plan(op, env)
}

// GeneratedKeys makes the keys of contracts that say how keys are generated.
type GeneratedKeys struct{}

// Key makes a UUID of version 4's form (RFC 9562, 5.4) from the tag.
func (GeneratedKeys) Key(_ *contract.Operation, tag [32]byte, _ []byte) (string, error) {
	return uuid4(tag), nil
}
