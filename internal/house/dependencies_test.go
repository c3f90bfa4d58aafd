package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// required reads the modules and versions that go.mod requires.
func required(t *testing.T) map[string]string {
	t.Helper()
	text := read(t, "go.mod")
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/\S+|\S+\.\S+) (v\S+)`).FindAllStringSubmatch(text, -1) {
		out[m[1]] = m[2]
	}
	if len(out) < 10 {
		t.Fatalf("go.mod requires only %d modules: it is not read", len(out))
	}
	return out
}

// listed reads the modules and versions of docs/dependencies.md.
func listed(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (v[^ |]+) \\|").FindAllStringSubmatch(read(t, "docs/dependencies.md"), -1) {
		out[m[1]] = m[2]
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatIsImportedIsListed(t *testing.T) {
	modules, list := required(t), listed(t)
	used := map[string]bool{}
	for _, s := range goFiles(t) {
		for _, p := range s.imports() {
			if m := moduleOf(modules, p); m != "" {
				used[m] = true
			}
		}
	}
	for m := range used {
		if list[m] == "" {
			t.Errorf("%s is imported, and not listed in docs/dependencies.md with its reason", m)
		}
	}
	for m, version := range list {
		if tool(m) {
			continue
		}
		if modules[m] != version {
			t.Errorf("docs/dependencies.md says %s %s, go.mod %q", m, version, modules[m])
		}
		if !used[m] {
			t.Errorf("docs/dependencies.md lists %s, which nothing imports", m)
		}
	}
}

// moduleOf is the longest module path that an import path lies in.
func moduleOf(modules map[string]string, importPath string) string {
	best := ""
	for m := range modules {
		if (importPath == m || strings.HasPrefix(importPath, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

// tools are the modules that only check the project; .ci/versions pins them.
var tools = map[string]string{
	"honnef.co/go/tools":                  "STATICCHECK",
	"golang.org/x/vuln":                   "GOVULNCHECK",
	"github.com/goreleaser/goreleaser/v2": "GORELEASER",
	"github.com/tsenart/vegeta/v12":       "VEGETA",
	"github.com/rhysd/actionlint":         "ACTIONLINT",
}

func tool(m string) bool { return tools[m] != "" }

func TestToolsArePinned(t *testing.T) {
	versions, list := read(t, ".ci/versions"), listed(t)
	for m, name := range tools {
		v := regexp.MustCompile(`(?m)^` + name + `=(v\d+\.\d+\.\d+)$`).FindStringSubmatch(versions)
		if v == nil {
			t.Errorf(".ci/versions pins no %s", name)
		} else if list[m] != v[1] {
			t.Errorf("docs/dependencies.md says %s %q, .ci/versions %s", m, list[m], v[1])
		}
	}
}

// A replaced or unreleased module is one that nobody else builds.
func TestModulesAreReleases(t *testing.T) {
	if strings.Contains(read(t, "go.mod"), "replace ") {
		t.Error("go.mod replaces a module")
	}
	pseudo := regexp.MustCompile(`-(0\.)?\d{14}-[0-9a-f]{12}$`)
	for m, v := range listed(t) {
		if pseudo.MatchString(v) {
			t.Errorf("%s %s is no release", m, v)
		}
	}
}
