package zoo

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// everyVariant gives all of them, the reference service first.
func everyVariant() []Variant {
	return slices.Concat([]Variant{Reference()}, Faults(), Styles())
}

func TestTheZooIsLarge(t *testing.T) {
	if n := len(Faults()); n < 45 {
		t.Errorf("%d faults", n)
	}
	if n := len(Styles()); n < 20 {
		t.Errorf("%d styles", n)
	}
}

func TestEveryVariantIsWellDescribed(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := map[string]bool{"list": true, "all": true, "none": true} // words of the command line
	for _, v := range everyVariant() {
		switch {
		case !name.MatchString(v.Name):
			t.Errorf("%q is no name of lower-case words with dashes", v.Name)
		case seen[v.Name]:
			t.Errorf("%s is there twice, or a word of the command line", v.Name)
		case v.What == "" || strings.ContainsAny(v.What, "\n\t") || strings.HasSuffix(v.What, ".") || strings.ToUpper(v.What[:1]) == v.What[:1] && strings.ToLower(v.What[:1]) != v.What[:1]:
			t.Errorf("%s: %q is no sentence in lower case without a full stop", v.Name, v.What)
		}
		seen[v.Name] = true
	}
}

// What changes nothing is no variant: it would be caught by no step, or show
// that nobody is accused of nothing.
func TestEveryVariantChangesSomething(t *testing.T) {
	for _, v := range everyVariant()[1:] {
		if v.Options == nil && v.Behaviour == nil && v.Store == nil && v.Handler == nil && v.Says == nil {
			t.Errorf("%s changes nothing", v.Name)
		}
	}
}

func TestFaultsAndStylesKeepToTheirLists(t *testing.T) {
	for _, v := range Faults() {
		if !v.IsFault() || len(v.Unknowable) > 0 {
			t.Errorf("fault %s: caught by %v, unknowable %v", v.Name, v.Caught, v.Unknowable)
		}
		if got, ok := Fault(v.Name); !ok || got.Name != v.Name {
			t.Errorf("fault %s is not found by its name", v.Name)
		}
		if _, ok := Style(v.Name); ok {
			t.Errorf("fault %s is found among the styles", v.Name)
		}
	}
	for _, v := range Styles() {
		if v.IsFault() {
			t.Errorf("style %s is to be caught by %v", v.Name, v.Caught)
		}
		if got, ok := Style(v.Name); !ok || got.Name != v.Name {
			t.Errorf("style %s is not found by its name", v.Name)
		}
	}
	for _, v := range everyVariant() {
		for _, step := range v.Caught {
			if !slices.Contains(probe.StepNames(), step) {
				t.Errorf("%s is to be caught by %s, which is no step", v.Name, step)
			}
		}
		for step, why := range v.Unknowable {
			if !slices.Contains(probe.StepNames(), step) || why == "" {
				t.Errorf("%s: unknowable %s: %q", v.Name, step, why)
			}
		}
	}
}

// planned gives the steps that a variant's contract enables on a store.
func planned(t *testing.T, v Variant, on Store) []string {
	t.Helper()
	return plannedOf(t, v, on, v.Contract(on))
}

func plannedOf(t *testing.T, v Variant, on Store, text []byte) []string {
	t.Helper()
	c, err := contract.Parse(v.Name+".yaml", text, nil)
	if err != nil {
		t.Errorf("%s on %s: %v\n%s", v.Name, on, err, text)
		return nil
	}
	plans, err := probe.Plans(c.Operations[0], probe.Env{RunID: "0000000000000000", Seed: 1, Keys: probe.GeneratedKeys{}, Contract: c}, probe.Selection{})
	if err != nil {
		t.Errorf("%s on %s: %v", v.Name, on, err)
		return nil
	}
	var out []string
	for _, p := range plans {
		if p.Idle.Text == "" {
			out = append(out, p.Step)
		}
	}
	return out
}

// promised is a contract without what only names its variant: many promise the
// same, and are planned alike.
func promised(v Variant, text []byte) string {
	_, body, _ := strings.Cut(string(text), "\nidem: ")
	return strings.ReplaceAll(body, v.Name, "")
}

// A fault that no step of its contract could catch would be no fault there.
func TestEveryContractCanBePlanned(t *testing.T) {
	of := map[string][]string{}
	for _, v := range everyVariant() {
		for _, on := range Stores() {
			if v.Lasting && on == Memory {
				continue
			}
			text := v.Contract(on)
			steps, done := of[promised(v, text)]
			if !done {
				steps = plannedOf(t, v, on, text)
				of[promised(v, text)] = steps
			}
			if v.IsFault() && len(steps) > 0 && !slices.ContainsFunc(v.Caught, func(s string) bool { return slices.Contains(steps, s) }) {
				t.Errorf("%s on %s: its contract plans %v, none of which is named for it (%v)", v.Name, on, steps, v.Caught)
			}
		}
	}
}

// The standard contract enables every step, so that no fault hides behind one
// that does not run.
func TestTheStandardContractEnablesEverything(t *testing.T) {
	steps := planned(t, Reference(), File)
	for _, name := range probe.StepNames() {
		if !slices.Contains(steps, name) {
			t.Errorf("%s is not planned", name)
		}
	}
	inMemory := planned(t, Reference(), Memory)
	if slices.Contains(inMemory, "crash") {
		t.Error("a store in memory is killed")
	}
	for _, name := range []string{"duplicate", "concurrent", "conflict", "reorder", "expiry"} {
		if !slices.Contains(inMemory, name) {
			t.Errorf("%s is not planned in memory", name)
		}
	}
}

// TestContractsSayWhatTheyRead: a variable that nobody names is asked for in
// vain, and one that is not read is set in vain.
func TestContractsSayWhatTheyRead(t *testing.T) {
	for _, v := range everyVariant() {
		for _, on := range Stores() {
			head, body, _ := strings.Cut(string(v.Contract(on)), "\nidem: ")
			if !strings.Contains(body, "process: ") {
				if !strings.Contains(head, "# Start the service yourself") || !strings.Contains(head, " serve --listen ") {
					t.Errorf("%s on %s: who starts the service\n%s", v.Name, on, head)
				}
				body += shell(v.Command(on))
			}
			for _, e := range exports {
				if strings.Contains(body, e.name) != strings.Contains(head, "#   export "+e.name+"="+e.value+" ") {
					t.Errorf("%s on %s: %s\n%s", v.Name, on, e.name, head)
				}
			}
			for _, line := range strings.Split(strings.TrimRight(head, "\n"), "\n") {
				if !strings.HasPrefix(line, "#") {
					t.Errorf("%s on %s: %q", v.Name, on, line)
				}
			}
		}
	}
}

func TestContractsAreDeterministic(t *testing.T) {
	for _, v := range everyVariant() {
		for range 5 {
			if !bytes.Equal(v.Contract(File), v.Contract(File)) {
				t.Fatalf("%s: two texts", v.Name)
			}
		}
	}
}

// Says is for one variant: what one changes, no other sees.
func TestOneContractChangesNoOther(t *testing.T) {
	before := Reference().Contract(Postgres)
	wild := Variant{Name: "wild", What: "it changes everything", Says: func(s *Says) {
		clear(s.Promise)
		delete(s.Target, "other_auth")
		s.Serve = []string{"--conflict", "409"}
		s.File["limits"] = "{max_operations: 5000}"
		s.Expiry = nil
	}}
	text := string(wild.Contract(Postgres))
	for _, want := range []string{"limits: {max_operations: 5000}\n", `"--style", "wild", "--conflict", "409"]`, "# it changes everything\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, gone := range []string{"promise:", "other_auth", "expiry:"} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is still in\n%s", gone, text)
		}
	}
	if !bytes.Equal(before, Reference().Contract(Postgres)) {
		t.Error("another variant's contract changed the standard one")
	}
}

func TestCommandsNameTheirVariables(t *testing.T) {
	for on, want := range map[Store]string{Memory: "", File: "${" + EnvStore + "}", Postgres: EnvDSN} {
		argv := strings.Join(Reference().Command(on), " ")
		if !strings.HasPrefix(argv, "${"+EnvProgram+"} serve --listen ${"+EnvAddress+"} --replica ${"+EnvReplica+"}") || !strings.Contains(argv, want) {
			t.Errorf("%s: %s", on, argv)
		}
		if want == "" && strings.Contains(argv, "--store") {
			t.Errorf("%s: %s", on, argv)
		}
		if strings.Contains(argv, "--style") || strings.Contains(argv, "--fault") {
			t.Errorf("the reference service is no variant: %s", argv)
		}
	}
}
