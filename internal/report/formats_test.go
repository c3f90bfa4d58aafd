package report

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/probe"
)

// TestHTMLHoldsNothingForeign: whatever a server answered, the page has the
// report's own tags and no others, and loads nothing.
func TestHTMLHoldsNothingForeign(t *testing.T) {
	own := []string{"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "table", "tr", "th", "td", "pre", "details", "summary"}
	tag := regexp.MustCompile(`<(/?)([a-zA-Z][^\s>]*)([^>]*)>`)
	for _, r := range reports {
		page := string(render(t, "html", r.make()))
		_, page, _ = strings.Cut(page, "</style>")
		for _, m := range tag.FindAllStringSubmatch(page, -1) {
			if !slices.Contains(own, m[2]) {
				t.Errorf("%s: foreign tag %s", r.name, m[0])
			}
			if attributes := m[3]; attributes != "" && attributes != " open" && !regexp.MustCompile(`^ class="[a-z]+"$`).MatchString(attributes) {
				t.Errorf("%s: attributes %q", r.name, attributes)
			}
		}
	}
}

// TestTAPPlan: as many points as are planned, numbered from 1, and ok only
// where a step passed or did not count.
func TestTAPPlan(t *testing.T) {
	point := regexp.MustCompile(`(?m)^(ok|not ok) (\d+) - [^\n]*?( # SKIP [^\n]*)?$`)
	for _, r := range reports {
		made := r.make()
		text := string(render(t, "tap", made))
		var verdicts []probe.Verdict
		for _, op := range made.Operations {
			for _, s := range op.Steps {
				verdicts = append(verdicts, s.Verdict)
			}
		}
		points := point.FindAllStringSubmatch(text, -1)
		if !strings.Contains(text, "\n1.."+strconv.Itoa(len(verdicts))) || len(points) != len(verdicts) {
			t.Errorf("%s: %d points for %d steps\n%s", r.name, len(points), len(verdicts), text)
			continue
		}
		for i, p := range points {
			bad := verdicts[i] == probe.Fail || verdicts[i] == probe.Inconclusive
			skip := !bad && verdicts[i] != probe.Pass
			if p[2] != strconv.Itoa(i+1) || (p[1] == "not ok") != bad || (p[3] != "") != skip {
				t.Errorf("%s: %s is told as %q", r.name, verdicts[i], p[0])
			}
		}
	}
}

// TestSARIFShape: every result points at its rule, and what is open has no
// level (SARIF 2.1.0, 3.27.10).
func TestSARIFShape(t *testing.T) {
	for _, r := range reports {
		made := r.make()
		var log sarifLog
		if err := json.Unmarshal(render(t, "sarif", made), &log); err != nil {
			t.Fatal(err)
		}
		run, findings := log.Runs[0], 0
		for _, op := range made.Operations {
			for _, s := range op.Steps {
				findings += len(s.Findings)
			}
		}
		fails := 0
		for _, x := range run.Results {
			if run.Tool.Driver.Rules[x.Index].ID != x.Rule {
				t.Errorf("%s: %s points at rule %d", r.name, x.Rule, x.Index)
			}
			if x.Kind == "fail" {
				fails++
			}
			if (x.Kind == "open") != (x.Level == "none") {
				t.Errorf("%s: %s is %s with level %s", r.name, x.Rule, x.Kind, x.Level)
			}
		}
		if fails != findings {
			t.Errorf("%s: %d results for %d findings", r.name, fails, findings)
		}
	}
}

func TestSARIFAddresses(t *testing.T) {
	for file, want := range map[string]string{
		"contract.yaml": "contract.yaml", "a b/ü.yaml": "a%20b/%C3%BC.yaml", "/tmp/c.yaml": "file:///tmp/c.yaml",
		`C:\ci\c.yaml`: "file:///C:/ci/c.yaml", `ci\c.yaml`: "ci/c.yaml", "": "-", "a:b.yaml": "./a:b.yaml",
	} {
		if got := (&sarif{r: probe.Report{File: file}}).uri(); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}
