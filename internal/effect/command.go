package effect

import (
	"context"
	"sort"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/process"
)

// byCommand runs a program that prints one whole number. The fresh values
// stand in its arguments, and in IDEM_FRESH_ variables named after their
// pointers: /order_id is IDEM_FRESH_ORDER_ID.
type byCommand struct {
	world World
	argv  []string
}

func openCommand(w World, e *contract.Effects) (Counter, error) {
	if len(e.Command) == 0 {
		return nil, problem.New("", "the counter's command is empty").WithHint(`command: {run: [./count, "{fresh:/order_id}"]}`)
	}
	return &byCommand{world: w, argv: e.Command}, nil
}

func (c *byCommand) Close() error { return nil }

// Count runs the program once. What it printed is not shown, but for the end
// of its standard error, masked.
func (c *byCommand) Count(ctx context.Context, s Subject) (int64, error) {
	n, _, err := c.Look(ctx, s)
	return n, err
}

// Look runs the program once and tells its arguments and what it printed
// (Witness).
func (c *byCommand) Look(ctx context.Context, s Subject) (n int64, seen string, err error) {
	run := c.world.Command
	run.Argv = make([]string, len(c.argv))
	for i, arg := range c.argv {
		if run.Argv[i], err = s.fill(arg, raw); err != nil {
			return 0, "", err
		}
	}
	run.Env = append(run.Env[:len(run.Env):len(run.Env)], Variables(s.Values)...)
	out, err := process.Run(ctx, run, c.world.Timeout)
	seen = "ran " + strings.Join(run.Argv, " ")
	if len(out.Stdout) > 0 && !out.More {
		seen += ", which printed " + string(out.Stdout)
	}
	n, err = number(out, err)
	return n, seen, err
}

// number reads what a program printed.
func number(out process.Output, err error) (int64, error) {
	switch {
	case err != nil:
		return 0, problem.New("", "the counter's command: %s", err)
	case out.Exit != (process.Exit{}):
		return 0, problem.New("", "the counter's command ended with %s%s", out.Exit, out.LastWords())
	case out.More:
		return 0, problem.New("", "the counter's command printed more than one whole number")
	}
	text := strings.TrimSpace(string(out.Stdout))
	if !isDigits(text) {
		return 0, problem.New("", "the counter's command did not print one whole number and nothing else")
	}
	n, err := whole(text)
	if err != nil {
		return 0, problem.New("", "the counter's command printed %s", err)
	}
	return n, nil
}

// Variables gives fresh values, by JSON Pointer, as environment. Where two
// pointers give one name, none is set: which of them was meant cannot be known.
func Variables(fresh map[string]string) [][2]string {
	values, times := map[string]string{}, map[string]int{}
	for pointer, value := range fresh {
		name := variable(pointer)
		values[name] = value
		times[name]++
	}
	var env [][2]string
	for name, value := range values {
		if times[name] == 1 {
			env = append(env, [2]string{name, value})
		}
	}
	sort.Slice(env, func(i, j int) bool { return env[i][0] < env[j][0] })
	return env
}

func variable(pointer string) string {
	return "IDEM_FRESH" + strings.Map(func(c rune) rune {
		switch {
		case 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			return c
		case 'a' <= c && c <= 'z':
			return c - 'a' + 'A'
		}
		return '_'
	}, pointer)
}
