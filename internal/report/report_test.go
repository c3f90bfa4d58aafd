package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/explain"
	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/trace"
)

func TestUnknownFormat(t *testing.T) {
	for name, hint := range map[string]string{"": "human, json", "yaml": "human, json", "\x1b[31m": "human, json", "JSON": `"json"?`, "human ": `"human"?`, "jnit": `"junit"?`} {
		for _, err := range []error{CheckFormat(name), Write(io.Discard, name, passing(), Options{}), WriteDry(io.Discard, name, dryRun(), Options{})} {
			if err == nil || !strings.Contains(err.Error(), "unknown report format") || !strings.Contains(problem.Hint(err), hint) {
				t.Errorf("%q: %v", name, err)
			}
			if err != nil && !isClean(err.Error()) {
				t.Errorf("unclean error %q", err)
			}
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestWriteErrors(t *testing.T) {
	for _, format := range Formats() {
		if Write(brokenPipe{}, format, passing(), Options{}) == nil || WriteDry(brokenPipe{}, format, dryRun(), Options{}) == nil {
			t.Errorf("%s: a lost report is no error", format)
		}
	}
}

func TestDestinations(t *testing.T) {
	got, err := Destinations([]string{"junit=out/a=b.xml", "json=-", "markdown=summary.md"})
	if want := []Destination{{"junit", "out/a=b.xml"}, {"json", "-"}, {"markdown", "summary.md"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := Destinations([]string{"human"}); err != nil || got[0].Path != "-" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range [][]string{{"xml=a"}, {"=a"}, {""}, {"json="}, {"json=a", "junit=a"}, {"json", "human=-"}, {"report.json"}} {
		if got, err := Destinations(bad); err == nil {
			t.Errorf("%v read as %v", bad, got)
		}
	}
}

// TestJSONLeastShape holds the report to the names of contract-v1.
func TestJSONLeastShape(t *testing.T) {
	type shape = map[string]any
	var r shape
	if err := json.Unmarshal(render(t, "json", failing()), &r); err != nil {
		t.Fatal(err)
	}
	has := func(where string, o shape, names ...string) {
		for _, n := range names {
			if v, ok := o[n]; !ok || v == nil {
				t.Errorf("%s lacks %s", where, n)
			}
		}
	}
	has("report", r, "idem", "tool", "run", "mode", "seed", "exit", "verdict", "contract", "counts", "operations")
	has("contract", r["contract"].(shape), "file", "sha256")
	has("counts", r["counts"].(shape), "pass", "fail", "inconclusive", "skipped", "waived")
	op := r["operations"].([]any)[0].(shape)
	has("operation", op, "name", "verdict", "steps")
	step := op["steps"].([]any)[0].(shape)
	has("step", step, "step", "verdict", "reasons", "evidence", "findings", "cases")
	has("effects", step["evidence"].(shape)["effects"].(shape), "before", "after", "settled", "unit", "counted_by")
	has("finding", step["findings"].([]any)[0].(shape), "id", "slug", "requirement", "expected", "actual", "repro")
	if r["idem"] != "report/v1" || r["seed"] != 7.0 || r["exit"] != 1.0 {
		t.Errorf("idem %v, seed %v, exit %v", r["idem"], r["seed"], r["exit"])
	}
}

func TestJSONKeepsText(t *testing.T) {
	r := passing()
	text := "<&>\u2028\u202e\u0085\x7f\U000e0041\U0001f602\u00e9\"\\"
	r.Notes = []string{text}
	var back struct{ Notes []string }
	if err := json.Unmarshal(render(t, "json", r), &back); err != nil {
		t.Fatal(err)
	}
	if back.Notes[0] != text {
		t.Errorf("got %q, want %q", back.Notes[0], text)
	}
}

// TestJUnitIsNeverGreenByMistake: a pipeline that reads nothing but JUnit must
// fail where idem's exit code is not 0.
func TestJUnitIsNeverGreenByMistake(t *testing.T) {
	skipped := passing()
	for i := range skipped.Operations[0].Steps {
		skipped.Operations[0].Steps[i].Verdict = probe.Skipped
	}
	odd := passing()
	odd.Operations[0].Steps[0].Verdict = "surprise"
	for _, c := range []struct {
		name string
		r    probe.Report
		exit int
		red  bool
	}{
		{"pass", passing(), 0, false},
		{"fail", failing(), 1, true},
		{"inconclusive", unsettled(), 3, true},
		{"interrupted after the last step", passing(), 130, true},
		{"nothing could be sent", probe.Report{}, 4, true},
		{"nothing ran", skipped, 3, true},
		{"all skipped", skipped, 0, false},
		{"a verdict of no judge", odd, 0, true},
	} {
		c.r.Exit = c.exit
		out := string(render(t, "junit", c.r))
		if red := strings.Contains(out, "<failure") || strings.Contains(out, "<error"); red != c.red {
			t.Errorf("%s: red %v\n%s", c.name, red, out)
		}
	}
	var b bytes.Buffer
	d := dryRun()
	d.Exit = 3
	if err := WriteDry(&b, "junit", d, Options{}); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); strings.Count(out, "<testcase") != strings.Count(out, "<skipped") {
		t.Errorf("a dry run is not all skipped\n%s", out)
	}
}

func TestColourOnlyWhenTold(t *testing.T) {
	for _, told := range []bool{false, true} {
		t.Setenv("NO_COLOR", "1") // the caller's matter, not the writer's
		var b bytes.Buffer
		if err := Write(&b, "human", failing(), Options{Color: told}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "\x1b[") != told {
			t.Errorf("told %v", told)
		}
	}
}

func TestHumanLastLine(t *testing.T) {
	for _, c := range []struct {
		r    probe.Report
		want string
	}{
		{passing(), "pass: 6 pass; exit 0, every promise that was checked holds"},
		{failing(), "fail: 3 pass, 3 fail; exit 1, a promise is broken"},
		{unsettled(), "inconclusive: 2 pass, 2 inconclusive, 1 skipped, 1 waived; exit 3, something is inconclusive, or nothing ran"},
		{probe.Report{Verdict: probe.NotRun, Exit: 4}, "not-run: no steps; exit 4, nothing could be sent"},
	} {
		lines := strings.Split(strings.TrimSuffix(string(render(t, "human", c.r)), "\n"), "\n")
		if got := lines[len(lines)-1]; got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestHumanNamesEverySlug: each finding leads to its explanation.
func TestHumanNamesEverySlug(t *testing.T) {
	for _, s := range explain.Steps() {
		for _, e := range s.Entries {
			r := failing()
			r.Operations[0].Steps[0].Findings[0].Slug = e.Slug
			out := string(render(t, "human", r))
			if !strings.Contains(out, "idem explain "+e.Slug) || !strings.Contains(out, e.Title) {
				t.Errorf("%s is not explained", e.Slug)
			}
		}
	}
}

func TestReproFallsBackToACommand(t *testing.T) {
	one := func(change func(*probe.Exchange)) probe.Finding {
		f := failing().Operations[0].Steps[0].Findings[0]
		f.Exchanges = slices.Clone(f.Exchanges)
		x := exchange("retry", 150, request("r", keyOne, bodyOne, ""), 201, "ok")
		change(&x)
		f.Exchanges[1] = x
		return f
	}
	whole := one(func(*probe.Exchange) {})
	const command = "idem verify contract.yaml --live --only duplicate --operation create-charge --seed 7\n"
	source := func(step string) Source {
		return Source{File: "contract.yaml", Operation: "create-charge", Step: step, Seed: 7}
	}
	if got := Repro(source("duplicate"), whole); !strings.HasPrefix(got, "#!/bin/sh") {
		t.Fatalf("no script for sequential requests: %s", got)
	}
	for _, step := range []string{"concurrent", "crash", "expiry"} {
		want := strings.Replace(command, "duplicate", step, 1) + noScript + alone[step] + "\n"
		if got := Repro(source(step), whole); got != want {
			t.Errorf("%s: %s", step, got)
		}
	}
	harvest := source("duplicate")
	harvest.Harvest = true
	if got := Repro(harvest, whole); !strings.HasSuffix(got, noScript+"hours lie between its requests\n") {
		t.Errorf("harvest: %s", got)
	}
	for _, s := range []Source{source("crash"), harvest} {
		s.HTTP = "2"
		for _, line := range strings.Split(Repro(s, whole), "\n") {
			if strings.HasPrefix(line, "idem verify") && !strings.Contains(line, " --http 2") {
				t.Errorf("the version of HTTP is left out: %s", line)
			}
		}
	}
	for want, races := range map[string]trace.Races{
		" --seed 7\n": {},
		" --seed 7 --rounds 50 --window 10µs --burst-keys 15\n": {Rounds: 50, Window: 10_000, Keys: 15},
		" --seed 7 --power 0.99 --window 1ms\n":                 {Power: .99, Window: 1_000_000},
	} {
		s := source("concurrent")
		s.Races = races
		if got := Repro(s, whole); !strings.Contains(got, want) {
			t.Errorf("%+v: %s, want %s", races, got, want)
		}
	}
	for name, f := range map[string]probe.Finding{
		"nothing was recorded": {},
		"overlap":              one(func(x *probe.Exchange) { x.Sent.WriteBegan = 105 * ms }),
		"a copy":               one(func(x *probe.Exchange) { x.Copy = 1 }),
		"hung up":              one(func(x *probe.Exchange) { x.Answer.Outcome = trace.HungUp }),
		"held":                 one(func(x *probe.Exchange) { x.Sent.Hold = "body" }),
		"partly written":       one(func(x *probe.Exchange) { x.Sent.Whole = false }),
		"not sent":             one(func(x *probe.Exchange) { x.Sent = nil }),
		"unknown request":      one(func(x *probe.Exchange) { x.Request = nil }),
		"truncated":            one(func(x *probe.Exchange) { x.Request.Body.Truncated = true }),
		"masked body":          one(func(x *probe.Exchange) { x.Request.Body = trace.Body{Size: 40, Head: `{"a":"«/a»"}`} }),
		"masked, same length":  one(func(x *probe.Exchange) { x.Request.Body = body(`{"a":"«/a»"}`) }),
		"broken base64":        one(func(x *probe.Exchange) { x.Request.Body = trace.Body{Size: 3, Head: "?", Base64: true} }),
		"target with a break":  one(func(x *probe.Exchange) { x.Request.Target = "/a\nb" }),
		"target with a space":  one(func(x *probe.Exchange) { x.Request.Target = "/a b" }),
		"masked target":        one(func(x *probe.Exchange) { x.Request.Target = "/«auth»" }),
		"no method":            one(func(x *probe.Exchange) { x.Request.Method = "PO ST" }),
		"odd header":           one(func(x *probe.Exchange) { x.Request.Header = [][2]string{{"a b", "c"}} }),
		"header with a break":  one(func(x *probe.Exchange) { x.Request.Header = [][2]string{{"a", "b\nc"}} }),
		"two secrets":          one(func(x *probe.Exchange) { x.Request.Header = [][2]string{{"a", "«auth»"}, {"b", "«auth»"}} }),
		"too many":             {Exchanges: slices.Repeat(whole.Exchanges[:1], 13)},
		"too long":             one(func(x *probe.Exchange) { x.Request.Body = body(strings.Repeat("x", 97<<10)) }),
	} {
		why, ok := strings.CutPrefix(Repro(source("duplicate"), f), command+noScript)
		if !ok || strings.TrimSpace(why) == "" || strings.Count(why, "\n") != 1 {
			t.Errorf("%s: %q", name, why)
		}
	}
	signed := source("duplicate")
	signed.NoScript = "it is signed"
	if got := Repro(signed, whole); got != command+"# no curl script: it is signed\n" {
		t.Errorf("signed: %s", got)
	}
	other := source("duplicate")
	other.NoOther = "the other one signs"
	if got := Repro(other, whole); !strings.HasPrefix(got, shebang) {
		t.Errorf("the other principal sends none of it: %s", got)
	}
	if got := Repro(other, one(func(x *probe.Exchange) { x.Sent.Other = true })); got != command+noScript+"the other one signs\n" {
		t.Errorf("the other principal signs: %s", got)
	}
	if got := reproOf(source("duplicate"), probe.Finding{Repro: "own"}); got != "own" {
		t.Errorf("the finding's own reproduction gave way to %s", got)
	}
}

func TestContractOptions(t *testing.T) {
	base := []string{"http://h/api"}
	for _, c := range []struct {
		auth     *contract.Auth
		header   string
		noScript bool
	}{
		{nil, "", false},
		{&contract.Auth{Header: "Authorization", Env: "T", Prefix: "Bearer "}, "Bearer «auth»", false},
		{&contract.Auth{Header: "X-Key", Command: []string{"k"}, Per: "run"}, "«auth»", false},
		{&contract.Auth{Header: "X-Sig", Command: []string{"k"}, Per: "attempt"}, "", true},
		{&contract.Auth{Command: []string{"k"}}, "", true},
		{&contract.Auth{Cert: "c.pem", CertKey: "k.pem"}, "", true},
	} {
		o := ContractOptions(&contract.Contract{Target: contract.Target{BaseURLs: base, Auth: c.auth}})
		as := ContractOptions(&contract.Contract{Target: contract.Target{BaseURLs: base, OtherAuth: c.auth}})
		header, other := "", ""
		if len(o.Auth) > 0 {
			header, other = o.Auth[0][1], as.OtherAuth[0][1]
		}
		if header != c.header || (o.NoScript != "") != c.noScript || !slices.Equal(o.BaseURLs, base) || len(o.OtherAuth) > 0 {
			t.Errorf("%+v: %+v", c.auth, o)
		}
		if other != strings.Replace(c.header, "«auth»", "«other_auth»", 1) || (as.NoOther != "") != c.noScript || as.NoScript != "" {
			t.Errorf("as the other principal, %+v: %+v", c.auth, as)
		}
	}
}
