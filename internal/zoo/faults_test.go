package zoo

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/idem-toolkit/idem/internal/contract"
)

// TestFaultsBreakWhatTheySay shows each fault at work, without the check that is
// to find it, beside what it leaves right.
func TestFaultsBreakWhatTheySay(t *testing.T) {
	shown := shownFaults()
	for _, v := range Faults() {
		show := shown[v.Name]
		delete(shown, v.Name)
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			if show == nil {
				t.Fatal("nothing shows it")
			}
			r := newRig(t, v)
			servesTheFirst(r)
			if v.Caught[0] != "missing-key" {
				refusesWhatItMust(r)
			}
			show(r)
		})
	}
	for name := range shown {
		t.Errorf("%s is no fault", name)
	}
}

// TestTheReferenceShowsNoFault holds the tests above to what they are: on the
// right service each of them fails.
func TestTheReferenceShowsNoFault(t *testing.T) {
	for name, show := range shownFaults() {
		v, _ := Fault(name)
		if v.Behaviour == nil && v.Options == nil {
			continue // the right service under another contract
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !failsOnTheReference(t, show) {
				t.Error("the right service shows it too")
			}
		})
	}
}

// failing takes a test's failures for itself.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Errorf(string, ...any) { f.failed = true }

func (f *failing) Fatalf(string, ...any) {
	f.failed = true
	runtime.Goexit()
}

func failsOnTheReference(t *testing.T, show func(*rig)) bool {
	f := &failing{TB: t}
	r := newRig(t, Variant{})
	r.TB, r.rounds = f, 200
	done := make(chan struct{})
	go func() {
		defer close(done)
		show(r)
	}()
	<-done
	return f.failed
}

// servesTheFirst holds a fault to what it leaves right: a request that nothing
// came before.
func servesTheFirst(r *rig) {
	first := r.want(r.send("POST", "/v1/charges", "first", order("f1")), 201)
	r.wantEffects("f1", 1)
	r.want(r.send("GET", first.header.Get("Location"), "", ""), 200)
	other := r.want(r.send("POST", "/v1/refunds", "other", order("f2")), 201)
	r.wantEffects("f2", 1)
	if other.body == first.body || !strings.Contains(other.body, `"refund"`) {
		r.Errorf("the refund got %s", other.body)
	}
}

func refusesWhatItMust(r *rig) {
	r.want(r.send("POST", "/v1/charges", "", order("f3")), 400)
	r.want(r.send("POST", "/v1/charges", "bad", `{"order_id":"f3"}`), 422)
	r.wantEffects("f3", 0)
}

func TestVariantsAreListedOnce(t *testing.T) {
	names := map[string]bool{}
	for _, v := range append(Faults(), Styles()...) {
		if names[v.Name] {
			t.Errorf("%s is there twice", v.Name)
		}
		names[v.Name] = true
		first, last := []rune(v.What + " ")[0], strings.HasSuffix(v.What, ".")
		if !unicode.IsLower(first) && !unicode.IsDigit(first) || last || strings.Contains(v.What, "\n") {
			t.Errorf("%s: %q is not a sentence in lower case without a full stop", v.Name, v.What)
		}
	}
	steps := slices.Concat(contract.CoreSteps[:], contract.ExtendedSteps[:])
	for _, v := range Faults() {
		if len(v.Caught) == 0 || len(v.Unknowable) > 0 {
			t.Errorf("%s: a fault is named for a step, and can be known", v.Name)
		}
		for _, step := range v.Caught {
			if !slices.Contains(steps, step) {
				t.Errorf("%s: there is no step %s", v.Name, step)
			}
		}
	}
	first := map[string]int{}
	for _, v := range Faults() {
		first[v.Caught[0]]++
	}
	for _, step := range steps {
		if first[step] < 4 {
			t.Errorf("%d faults are named for %s first", first[step], step)
		}
	}
}

// TestOneVariantAFile holds file names to the names of what is in them.
func TestOneVariantAFile(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, v := range Faults() {
		listed["fault_"+strings.ReplaceAll(v.Name, "-", "_")+".go"] = true
	}
	for _, v := range Styles() {
		listed["style_"+strings.ReplaceAll(v.Name, "-", "_")+".go"] = true
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(name, "fault_") && !strings.HasPrefix(name, "style_") {
			continue
		}
		if !listed[name] {
			t.Errorf("%s: no variant of this name is listed", name)
		}
		delete(listed, name)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "= Variant{") + strings.Count(string(text), "return Variant{"); n != 1 {
			t.Errorf("%s has %d variants", name, n)
		}
	}
	for name := range listed {
		t.Errorf("there is no %s", name)
	}
}
