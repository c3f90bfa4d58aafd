package cmd

import (
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// realServer is a server that others wrote, with what the check must say of it.
type realServer struct {
	contract string                               // under testdata/targets
	install  func(t *testing.T) map[string]string // what the contract's variables stand for
	steps    map[string]stepOutcome
}

// stepOutcome is what the check must say of one step. Findings that follow from
// others are not listed: they may come, as long as what they follow from is known.
type stepOutcome struct {
	verdict  string
	findings []string // slugs that stand for themselves
	may      []string // slugs that some runs have beside these
	chance   bool     // a race so narrow that a run may not meet it: a pass is right too
}

func passes() stepOutcome { return stepOutcome{verdict: "pass"} }

func skipped() stepOutcome { return stepOutcome{verdict: "skipped"} }

func unknowable() stepOutcome { return stepOutcome{verdict: "inconclusive"} }

// fails has these findings. Without any it fails by what follows from another step.
func fails(findings ...string) stepOutcome {
	return stepOutcome{verdict: "fail", findings: findings}
}

func (o stepOutcome) mayHave(slugs ...string) stepOutcome {
	o.may = slugs
	return o
}

func (o stepOutcome) byChance() stepOutcome {
	o.chance = true
	return o
}

const (
	ranTwice   = "duplicate/effect-ran-twice"
	raced      = "concurrent/effect-ran-twice"
	crashTwice = "crash/effect-ran-twice"
)

var realServers = []realServer{
	{"fiber/contract.yaml", goTarget("FIBER", "fiber"), map[string]stepOutcome{
		"duplicate": passes(), "concurrent": passes(), "reorder": passes(), "expiry": passes(), "disconnect": passes(),
		"conflict": fails("conflict/first-result-returned"),
		"crash":    fails(crashTwice),
	}},
	{"moov/contract.yaml", goTarget("MOOV", "moov"), map[string]stepOutcome{
		"duplicate": passes(), "reorder": passes(), "slow": passes(), "disconnect": passes(), "outcome": passes(),
		"missing-key": passes(),
		"concurrent":  fails(raced).byChance(),
		"conflict":    passes(),
		"crash":       fails(crashTwice),
		"expiry":      unknowable(),
	}},
	{"express/plain.contract.yaml", nodeTarget("EXPRESS", "express"), map[string]stepOutcome{
		"duplicate":  fails(ranTwice),
		"concurrent": fails().mayHave(raced),
		"conflict":   fails(), "reorder": fails(), "crash": fails(), "disconnect": fails(),
		"expiry": fails("expiry/never-forgets"),
	}},
	{"express/is-hit.contract.yaml", nodeTarget("EXPRESS", "express"), map[string]stepOutcome{
		"duplicate": passes(), "concurrent": passes(), "reorder": passes(), "disconnect": passes(),
		"conflict": passes(),
		"crash":    fails(crashTwice),
		"expiry":   fails("expiry/never-forgets"),
	}},
	{"nest/contract.yaml", nodeTarget("NEST", "nest"), map[string]stepOutcome{
		"duplicate": passes(), "concurrent": passes(), "reorder": skipped(), "slow": passes(), "disconnect": passes(),
		"missing-key": passes(), "binding": passes(),
		"conflict": passes(),
		"crash":    fails(crashTwice),
		"expiry":   fails("expiry/ran-more-than-once"),
		"outcome":  fails("outcome/not-stored"),
	}},
	{"asgi/contract.yaml", withRedis(pythonTarget("ASGI", "asgi")), map[string]stepOutcome{
		"duplicate": passes(), "concurrent": passes(), "conflict": passes(), "reorder": passes(), "slow": passes(),
		"missing-key": passes(), "binding": passes(),
		"crash":      fails("crash/stuck-in-progress").mayHave("crash/refused"),
		"expiry":     fails("expiry/wrong-answer"),
		"disconnect": fails("disconnect/stuck"),
		"outcome":    fails("outcome/stuck"),
	}},
	{"django/contract.yaml", pythonTarget("DJANGO", "django"), map[string]stepOutcome{
		"duplicate": passes(), "conflict": passes(), "reorder": passes(), "outcome": passes(),
		"missing-key": passes(), "binding": passes(),
		"concurrent": fails(raced),
		"crash":      fails(crashTwice),
		"expiry":     fails(), "slow": fails(), "disconnect": fails(),
	}},
	{"powertools/key.contract.yaml", withRedis(pythonTarget("POWERTOOLS", "powertools")), map[string]stepOutcome{
		"duplicate": passes(), "concurrent": passes(), "conflict": passes(), "reorder": passes(), "expiry": passes(),
		"disconnect": passes(), "outcome": passes(), "missing-key": passes(), "binding": passes(),
		"crash": fails(crashTwice),
	}},
	{"powertools/validate.contract.yaml", withRedis(pythonTarget("POWERTOOLS", "powertools")), map[string]stepOutcome{
		"duplicate":  fails("duplicate/refused"),
		"concurrent": fails(), "conflict": fails(), "reorder": fails(), "expiry": fails(), "disconnect": fails(),
		"outcome": fails(), "binding": fails(),
		"missing-key": passes(),
		"crash":       fails(crashTwice),
	}},
	{"spring/contract.yaml", javaTarget("SPRING", "spring"), map[string]stepOutcome{
		"duplicate": passes(), "conflict": passes(), "reorder": passes(), "slow": passes(),
		"disconnect": passes(), "outcome": passes(), "missing-key": passes(), "binding": passes(),
		"concurrent": fails(raced).byChance(),
		"expiry":     fails("expiry/ran-more-than-once").byChance(),
		"crash":      fails(crashTwice),
	}},
}

func goTarget(name, folder string) func(*testing.T) map[string]string {
	return func(t *testing.T) map[string]string { return map[string]string{name: buildGo(t, folder)} }
}

func nodeTarget(name, folder string) func(*testing.T) map[string]string {
	return func(t *testing.T) map[string]string { return map[string]string{name: installNode(t, folder)} }
}

func pythonTarget(name, folder string) func(*testing.T) map[string]string {
	return func(t *testing.T) map[string]string {
		return map[string]string{"PYTHON": installPython(t, folder), name: copyTarget(t, folder)}
	}
}

func javaTarget(name, folder string) func(*testing.T) map[string]string {
	return func(t *testing.T) map[string]string { return map[string]string{name: buildMaven(t, folder)} }
}

func withRedis(install func(*testing.T) map[string]string) func(*testing.T) map[string]string {
	return func(t *testing.T) map[string]string {
		env := install(t)
		env["REDIS_URL"] = testneed.Redis(t)
		return env
	}
}
