package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// environment fills in references.yaml.
var environment = map[string]string{
	"PORT": "8080", "SECOND_URL": "https://api.example.test:8443/base", "HOST": "127.0.0.1", "TIMEOUT": "3s", "SECRETS": "/run/secrets",
	"ARG": "${PORT} {fresh:/id}", "SETTLE": "250", "BIN": "/opt", "BASE": "/v2", "RECOVERY": "1m30s", "WAIT": "5s", "FIELD": "data",
	"PAGE": "50", "SINK_PORT": "9009",
}

func from(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func with(name, value string) map[string]string {
	m := map[string]string{}
	for k, v := range environment {
		m[k] = v
	}
	m[name] = value
	return m
}

func TestResolve(t *testing.T) {
	raw := good(t, "references.yaml")
	before := dump(raw, true)
	c, err := raw.Resolve(from(environment))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "good/references.yaml.resolved.golden", dump(c, true))
	if dump(raw, true) != before {
		t.Error("resolving a copy changes the contract")
	}
	o := c.Operations[0]
	for got, want := range map[string]string{
		c.Target.BaseURLs[0]:      "http://127.0.0.1:8080",
		o.Effects.Command[2]:      `psql $$DSN -c "select count(*) from t where id = '{fresh:/id}'" # ${literal}`,
		o.Effects.Command[3]:      "${PORT} {fresh:/id}", // what is filled in is not looked through again
		o.Request.Body.Form[2][1]: "${NOR_THIS}",
	} {
		if got != want {
			t.Errorf("got %s want %s", got, want)
		}
	}
	if c.Target.Timeout != 3*time.Second || o.Effects.Settle != 250*time.Millisecond || o.Expiry.Wait != 5*time.Second || o.Expiry.WaitText != "5s" {
		t.Error("a duration is not filled in")
	}
	if got := c.Operations[1].Effects.HTTP.PageLimit; got != 50 {
		t.Errorf("page_limit: %d", got)
	}
	if err := c.CheckHosts(); err == nil || !strings.HasPrefix(err.Error(), "references.yaml:4:43: ") {
		t.Errorf("the second URL's host is not allowed, but: %v", err)
	}
}

// A body is what it was when the contract was read, whatever became of its file.
func TestResolveKeepsBodies(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "b.json")
	if err := os.WriteFile(path, []byte(`{"a":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	src := []byte("idem: contract/v1\nname: n\ntarget: {base_urls: ['http://${H}']}\noperations: [{name: a, request: {method: POST, path: /a, headers: {Content-Type: application/json}, body_file: b.json}, key: {query: k, generate: uuid4}}]")
	c, err := Parse("f.yaml", src, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	c, err = c.Resolve(from(map[string]string{"H": "h"}))
	if err != nil || string(c.Operations[0].Request.Body.JSON) != `{"a":1}` {
		t.Errorf("%v %+v", err, c)
	}
}

func TestUnset(t *testing.T) {
	raw := good(t, "references.yaml")
	where := regexp.MustCompile(`^references\.yaml:[0-9]+:[0-9]+: the environment variable ([A-Z_]+) is not set$`)
	for name := range environment {
		m := with(name, "")
		delete(m, name)
		_, err := raw.Resolve(from(m))
		if err == nil {
			t.Errorf("without %s", name)
			continue
		}
		if found := where.FindStringSubmatch(err.Error()); found == nil || found[1] != name {
			t.Errorf("without %s: %v", name, err)
		}
		if problem.Hint(err) != "export "+name+"=..." {
			t.Errorf("without %s: hint %s", name, problem.Hint(err))
		}
	}
	src := strings.Replace(string(good(t, "replicas.json").Source), "$IDEM_SECONDS", "${IDEM_SECONDS}", 1)
	c, err := Parse("f.json", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Resolve(from(nil))
	if err == nil || problem.Hint(err) != "in a command write $IDEM_SECONDS, or $${IDEM_SECONDS}" {
		t.Errorf("%v (%s)", err, problem.Hint(err))
	}
}

// TestAllUnsetAtOnce: nobody has to run once for each.
func TestAllUnsetAtOnce(t *testing.T) {
	const file = `idem: contract/v1
name: n
target:
  base_urls: ["http://${ADDRESS}", "http://${IDEM_OWN_REPLICA}"]
  auth: {header: Authorization, env: TOKEN}
operations:
  - name: a
    request: {method: POST, path: /a, body: {env: STAGING}}
    key: {query: k, generate: uuid4}
    effects: {command: {run: [sh, -c, "count $${IDEM_FRESH} $HOME ${ADDRESS}"]}}
    crash: {process: {command: ["${PROGRAM}"], ready: /h, env: {STORE: "${STORE}"}}}
`
	c, err := Parse("f.yaml", []byte(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []struct{ names, want, hint string }{
		{"", "f.yaml:4:15: the environment variables ADDRESS, IDEM_OWN_REPLICA, TOKEN, PROGRAM and STORE are not set",
			"export ADDRESS=... IDEM_OWN_REPLICA=... TOKEN=... PROGRAM=... STORE=..."},
		{"ADDRESS PROGRAM TOKEN", "f.yaml:4:36: the environment variables IDEM_OWN_REPLICA and STORE are not set", "export IDEM_OWN_REPLICA=... STORE=..."},
		{"ADDRESS PROGRAM TOKEN STORE", "f.yaml:4:36: the environment variable IDEM_OWN_REPLICA is not set", "export IDEM_OWN_REPLICA=..."},
		{"ADDRESS PROGRAM STORE IDEM_OWN_REPLICA", "", ""}, // a credential alone is asked for as it is read
	} {
		_, err := c.Resolve(func(name string) (string, bool) {
			return "host" + strings.ToLower(strings.ReplaceAll(name, "_", "")), slices.Contains(strings.Fields(set.names), name)
		})
		if got := fmt.Sprint(err); set.want != "" && (got != set.want || problem.Hint(err) != set.hint) || set.want == "" && err != nil {
			t.Errorf("with %q: %v (%s)", set.names, err, problem.Hint(err))
		}
	}
}

// A value that does not fit is refused at its place, and never shown.
func TestBadValues(t *testing.T) {
	raw := good(t, "references.yaml")
	for _, c := range []struct{ name, value, want string }{
		{"PORT", "hunter2", "references.yaml:4:15: "},
		{"PORT", "99999", "references.yaml:4:15: "},
		{"PORT", "80/?hunter2=1", "references.yaml:4:15: "},
		{"SECOND_URL", "hunter2", "references.yaml:4:43: "},
		{"SECOND_URL", "https://u:hunter2@h", "references.yaml:4:43: "},
		{"SECOND_URL", "https://u:hunter2@h h", "references.yaml:4:43: "},
		{"SECOND_URL", "http://127.0.0.1:8080", "references.yaml:4:43: "},
		{"HOST", "*.hunter2", "references.yaml:5:17: "},
		{"HOST", "http://hunter2", "references.yaml:5:17: "},
		{"TIMEOUT", "hunter2", "references.yaml:6:12: "},
		{"TIMEOUT", "0s", "references.yaml:6:12: "},
		{"SETTLE", "hunter2", "references.yaml:22:15: "},
		{"SETTLE", "-1", "references.yaml:22:15: "},
		{"BASE", "hunter2", "references.yaml:24:"},
		{"BASE", "/hunter 2", "references.yaml:24:"},
		{"BIN", "hunter2\x00", "references.yaml:24:"},
		{"WAIT", "hunter2", "references.yaml:27:13: "},
		{"WAIT", "2s", "references.yaml:27:7: "},
		{"RECOVERY", "hunter2", "references.yaml:25:17: "},
		{"ARG", "{fresh:/hunter2", "references.yaml:20:"},
		{"FIELD", "hunter2[", "references.yaml:32:"},
		{"PAGE", "hunter2", "references.yaml:32:"},
		{"PAGE", "0", "references.yaml:32:"},
		{"PAGE", "05", "references.yaml:32:"},
		{"SINK_PORT", "hunter2", "references.yaml:37:"},
	} {
		_, err := raw.Resolve(from(with(c.name, c.value)))
		if err == nil {
			t.Errorf("%s=%s passes", c.name, c.value)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		}
		if strings.Contains(err.Error()+problem.Hint(err), "hunter") {
			t.Errorf("an error shows the value: %v (%s)", err, problem.Hint(err))
		}
	}
}

func TestSettings(t *testing.T) {
	raw := good(t, "references.yaml")
	want := []string{"PAGE", "RECOVERY", "SETTLE", "TIMEOUT", "WAIT"}
	if got := raw.Settings(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	// A trace keeps the settings; texts stay open when it is judged.
	bare, err := Parse(raw.File, raw.Source, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := bare.WithSettings(map[string]string{"WAIT": "5s", "TIMEOUT": "3s"})
	if err != nil {
		t.Fatal(err)
	}
	o := c.Operations[0]
	if o.Expiry.Wait != 5*time.Second || c.Target.Timeout != 3*time.Second || o.Effects.Settle != defaultSettle || c.Target.BaseURLs[0] != "http://127.0.0.1:${PORT}" {
		t.Error(dump(c, false))
	}
	if _, err := bare.WithSettings(map[string]string{"WAIT": "1s"}); err == nil {
		t.Error("a wait as short as the lease passes")
	}
	if got := good(t, "example.yaml").Settings(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestReferences(t *testing.T) {
	for s, want := range map[string][]piece{
		"":           nil,
		"a":          {{literal: "a"}},
		"$NAME $ $$": {{literal: "$NAME $ $$"}},
		"{NAME}":     {{literal: "{NAME}"}},
		"${A}":       {{name: "A"}},
		"a${_b1}c":   {{literal: "a"}, {name: "_b1"}, {literal: "c"}},
		"${A}${B}":   {{name: "A"}, {name: "B"}},
		"$${A}":      {{literal: "${"}, {literal: "A}"}},
		"$$${A}":     {{literal: "$${"}, {literal: "A}"}},
		"$${A}${B}":  {{literal: "${"}, {literal: "A}"}, {name: "B"}},
		"x$${":       {{literal: "x${"}},
	} {
		if got, bad := references(s); bad != "" || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q %q", s, got, bad)
		}
	}
	for s, want := range map[string]string{"${": "${", "a ${b": "${b", "${}": "${}", "${1X}": "${1X}", "${A-B}": "${A-B}", "${A:-b}": "${A:-b}",
		"${ A}": "${ A}", "${A}${": "${", "${é}": "${é}", "${${A}}": "${${A}"} {
		if _, bad := references(s); bad != want {
			t.Errorf("%q: %q", s, bad)
		}
	}
}

// Resolving a contract says the same as reading a file that has the values in
// it, and keeps everything else.
func TestResolveIsSubstitution(t *testing.T) {
	wholes := map[string]string{}
	for _, name := range []string{"example.yaml", "words.yaml", "replicas.json"} {
		wholes[name] = string(node(t, name, string(good(t, name).Source)).JSON())
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(sortedKeys(wholes)).Draw(t, "file")
		whole, err := Parse("f.json", []byte(wholes[name]), beside)
		if err != nil {
			t.Fatal(err)
		}
		root, err := document.Parse("f.json", []byte(wholes[name]))
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]string{"UNUSED": "x"}
		open(t, root.Lookup("target"), "", values)
		for _, o := range root.Lookup("operations").Items {
			for _, block := range []string{"effects", "crash", "expiry"} {
				open(t, o.Lookup(block), block, values)
			}
			open(t, o.Lookup("sibling").Lookup("effects"), "effects", values)
		}
		raw, err := Parse("f.json", root.JSON(), beside)
		if err != nil {
			t.Fatalf("%v\n%s", err, root.JSON())
		}
		filled, err := raw.Resolve(from(values))
		if err != nil {
			t.Fatalf("%v\n%s", err, root.JSON())
		}
		if got, want := dump(filled, false), dump(whole, false); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// open replaces strings beneath n, or parts of them, by references, and keeps
// what they stood for.
func open(t *rapid.T, n *document.Node, key string, values map[string]string) {
	if n == nil || key == "per" || key == "args" || key == "http" && n.Kind == document.String {
		return // words and pointers are not filled in
	}
	for _, item := range n.Items {
		open(t, item, key, values)
	}
	for _, m := range n.Members {
		open(t, m.Value, m.Name, values)
	}
	if n.Kind != document.String || n.Text == "responses" || !rapid.Bool().Draw(t, "open "+key) {
		return
	}
	low, high := 0, len(n.Text)
	switch {
	case strings.Contains(n.Text, "{fresh:"):
	case key == "base_urls":
		low = rapid.SampledFrom([]int{0, strings.Index(n.Text, "://") + 3}).Draw(t, "from")
	case slices.Contains([]string{"run", "command", "kill", "advance", "wait", "timeout", "settle", "prefix", "PORT"}, key):
		low = rapid.IntRange(0, high-1).Draw(t, "from")
		high = rapid.IntRange(low+1, high).Draw(t, "to")
	}
	if low > 0 && n.Text[low-1] == '$' {
		low-- // $${ would be the text ${
	}
	name := "V" + strconv.Itoa(len(values))
	values[name] = n.Text[low:high]
	n.Text = n.Text[:low] + "${" + name + "}" + n.Text[high:]
}
