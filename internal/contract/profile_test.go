package contract

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// profiled is a contract with nothing but a profile and the blocks that no
// profile can know.
func profiled(name, key, more string) string {
	return "idem: contract/v1\nname: n\nprofile: " + name + `
target: {base_urls: ["http://127.0.0.1:8080"], allow_hosts: [127.0.0.1]}
operations:
  - name: create
    request: {method: POST, path: /v1/things, headers: {Content-Type: application/json}, body: {ref: r, amount: 1}, fresh: [/ref]}
    key: {` + key + `generate: uuid4}
` + more
}

func keyPlace(p *Profile) string {
	if p.KeyPlace() {
		return ""
	}
	return "header: Idempotency-Key, "
}

// TestEveryProfile: a contract with a profile alone says what the profile
// fills in, at the line that names it, and leaves everything else unknown.
func TestEveryProfile(t *testing.T) {
	if len(ProfileNames()) < 25 {
		t.Fatalf("only %d profiles", len(ProfileNames()))
	}
	for _, name := range ProfileNames() {
		p, err := ProfileNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse("c.yaml", []byte(profiled(name, keyPlace(p), "")), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		golden(t, "profiles/"+name+".golden", dump(c.Operations[0].Key, true)+dump(c.Operations[0].Promise, true))
		missing := map[string]bool{}
		for _, m := range p.Missing() {
			missing[m.Name] = true
			if m.Line == "" || m.Step == "" {
				t.Errorf("%s: nothing says how %s is stated", name, m.Name)
			}
		}
		for said := range p.Open {
			if !missing[said] {
				t.Errorf("%s: %s is told as open, and is filled in", name, said)
			}
		}
		q := c.Operations[0].Promise
		for promise, known := range map[string]bool{"duplicate": q.Duplicate.Known, "conflict": q.Conflict.Known,
			"in_flight": q.InFlight.Known, "owner_max": q.OwnerMax.Known, "reorder": q.Reorder.Known,
			"missing_key": q.MissingKey.Known, "stored": len(q.Stored) > 0, "retention": q.Retention.Known,
			"lease": q.Lease.Known, "scope": q.Scope != nil, "binding": q.Binding.Known} {
			if known == missing[promise] {
				t.Errorf("%s: %s known %v, told as missing %v", name, promise, known, missing[promise])
			}
		}
		if q.Duplicate.Known && q.Duplicate.Pos != (Pos{3, 10}) || !q.Reorder.Known && q.Reorder.Pos.Line != 6 {
			t.Errorf("%s: duplicate at %v, reorder at %v", name, q.Duplicate.Pos, q.Reorder.Pos)
		}
		if p.Page != "" && !strings.HasPrefix(p.Page, "https://") || strings.ContainsAny(p.Page, " \"") {
			t.Errorf("%s: its page is %q", name, p.Page)
		}
		if p.Example != "" {
			if _, err := os.Stat(filepath.Join("..", "..", p.Example, "contract.yaml")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !strings.Contains(p.Source, "read 2026-11-30") {
			t.Errorf("%s: where its facts are from is not told", name)
		}
	}
}

// TestLinesOfProfiles: the lines that state what a profile leaves open, and
// those that it fills in, are lines that the file may have.
func TestLinesOfProfiles(t *testing.T) {
	for _, name := range ProfileNames() {
		p, err := ProfileNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		block := "    promise:\n"
		for _, m := range p.Missing() {
			if m.Name != "lease" && m.Name != "retention" { // they must agree with the rest
				block += "      " + m.Line + "\n"
			}
		}
		if _, err := Parse("c.yaml", []byte(profiled(name, keyPlace(p), block)), nil); err != nil {
			t.Errorf("%s: %v (%s)\n%s", name, err, problem.Hint(err), block)
		}
		whole := "    promise:\n"
		for _, line := range p.Filled("promise") {
			whole += "      " + line.Name + ": " + line.Value + "\n"
		}
		src := strings.Replace(profiled(name, keyPlace(p), whole), "profile: "+name+"\n", "", 1)
		key := ""
		for _, line := range p.Filled("key") {
			key += line.Name + ": " + line.Value + ", "
		}
		if key != "" && p.KeyPlace() {
			src = strings.Replace(src, "key: {generate", "key: {"+key+"generate", 1)
		}
		plain, err := Parse("c.yaml", []byte(src), nil)
		if err != nil {
			t.Errorf("%s, written out: %v\n%s", name, err, src)
			continue
		}
		filled, err := Parse("c.yaml", []byte(profiled(name, keyPlace(p), "")), nil)
		if err != nil {
			t.Fatal(err)
		}
		for what, pair := range map[string][2]string{
			"promise": {dump(plain.Operations[0].Promise, false), dump(filled.Operations[0].Promise, false)},
			"key":     {dump(plain.Operations[0].Key, false), dump(filled.Operations[0].Key, false)},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: its %s written out says\n%s\nfilled in it says\n%s", name, what, pair[0], pair[1])
			}
		}
	}
}

// TestOwnWordsWin over a profile, part by part.
func TestOwnWordsWin(t *testing.T) {
	c, err := Parse("c.yaml", []byte(profiled("stripe", "header: X-Key, rules: {max_length: 64}, ", `    promise:
      conflict: {status: [409]}
      retention: 48h
`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := c.Operations[0]
	p := o.Promise
	if o.Key.Header != "X-Key" || o.Key.Rules.MaxLength != 64 {
		t.Errorf("key %+v, rules %+v", o.Key, o.Key.Rules)
	}
	if p.Conflict.Value.Match.Status[0] != 409 || p.Conflict.Pos.Line != 10 || len(p.Conflict.Value.Match.JSON) != 0 {
		t.Errorf("conflict %+v", p.Conflict)
	}
	if p.Retention.Value.AtLeast.Hours() != 48 || p.Retention.Pos.Line != 11 || p.Duplicate.Pos != c.ProfileAt || p.Marker.Pos != c.ProfileAt {
		t.Errorf("retention %+v, duplicate %+v, marker %+v", p.Retention, p.Duplicate, p.Marker)
	}
	mine, err := Parse("c.yaml", []byte(profiled("ietf", "query: k, ", "")), nil)
	if err != nil || mine.Operations[0].Key.Syntax != "bare" || mine.Operations[0].Key.Header != "" {
		t.Errorf("%v: the key's place is the file's, its syntax too: %+v", err, mine.Operations[0].Key)
	}
}

// TestGuardsNameTheProfile: a value that the file does not hold must be found.
func TestGuardsNameTheProfile(t *testing.T) {
	for _, c := range []struct{ name, key, more, want string }{
		{"stripe", "", "    promise: {retry_window: 24h}\n", "c.yaml:9:15: retry_window (24h) must be shorter than retention of profile stripe (24h)"},
		{"svix", "", "    expiry: {wait: 6s}\n", "c.yaml:9:14: the lease of profile svix (5s) and 1s must be below expiry.wait (6s) on one instance"},
		{"mangopay", "rules: {max_length: 10}, ", "", "c.yaml:8:31: max_length is below the min_length of profile mangopay"},
		{"square", "header: K, companion: {header: K, as: imf-fixdate}, ", "", "c.yaml:8:42: the companion's header is the key's own"},
		{"whop", "", "", "c.yaml:8:10: key has none of header, body, query"},
	} {
		_, err := Parse("c.yaml", []byte(profiled(c.name, c.key, c.more)), nil)
		if fmt.Sprint(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	src := strings.Replace(profiled("square", "", ""), `body: {ref: r, amount: 1}, fresh: [/ref]`, `body: [1]`, 1)
	if _, err := Parse("c.yaml", []byte(src), nil); fmt.Sprint(err) != `c.yaml:8:10: profile square: the key "/idempotency_key" is a member of no object in the body` {
		t.Error(err)
	}
}

// TestRecordedProfile: what a trace holds is what is judged by, whatever this
// version's table says.
func TestRecordedProfile(t *testing.T) {
	src := []byte(profiled("stripe", "", ""))
	c, err := Parse("c.yaml", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseRecorded("c.yaml", src, c.ProfileText())
	if err != nil || dump(again, true) != dump(c, true) || again.ProfileText() != c.ProfileText() {
		t.Errorf("%v\n%s\n%s", err, dump(again, true), dump(c, true))
	}
	other := strings.Replace(c.ProfileText(), `"retention":"24h"`, `"retention":"7d"`, 1)
	old, err := ParseRecorded("c.yaml", src, other)
	if err != nil || old.Operations[0].Promise.Retention.Value.AtLeast.Hours() != 168 {
		t.Errorf("%v: the recorded profile is not used", err)
	}
	if old, err = old.WithSettings(nil); err != nil || old.Operations[0].Promise.Retention.Value.AtLeast.Hours() != 168 {
		t.Errorf("%v: the recorded profile is lost with the settings", err)
	}
	for name, text := range map[string]string{
		"none":    "",
		"another": strings.Replace(c.ProfileText(), `"profile":"stripe"`, `"profile":"ietf"`, 1),
		"broken":  c.ProfileText()[:40],
		"unknown": strings.Replace(c.ProfileText(), `"duplicate"`, `"dupe"`, 1),
	} {
		if _, err := ParseRecorded("c.yaml", src, text); err == nil || !strings.HasPrefix(err.Error(), "c.yaml:3:10: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain := []byte(strings.Replace(string(src), "profile: stripe\n", "", 1))
	if _, err := ParseRecorded("c.yaml", plain, ""); err == nil || !strings.Contains(err.Error(), "none of header") {
		t.Error(err) // the key's place came from the profile
	}
}

func TestFlowIsYAML(t *testing.T) {
	for _, src := range []string{`a: {status: [400], json: {/a/0/b: "704", "2xx": "on"}}`, `a: "24h"`, `a: ""`, `a: "true"`, `a: "x: y"`, `a: "^[!-~]{1,64}$"`, `a: -1.5`, `a: null`, `a: "a,b"`, `a: "12"`} {
		n := node(t, "f.yaml", src).Lookup("a")
		back, err := document.Parse("f.yaml", []byte("a: "+flow(n)))
		if err != nil || string(back.Lookup("a").JSON()) != string(n.JSON()) {
			t.Errorf("%s: %s: %v", src, flow(n), err)
		}
	}
}
