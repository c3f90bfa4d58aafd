package report

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/testneed"
	"github.com/idem-toolkit/idem/internal/trace"
)

// shell gives the shells to try scripts in.
func shell(t *testing.T) []string {
	t.Helper()
	for _, tool := range []string{"sh", "curl", "base64"} {
		testneed.Program(t, tool)
	}
	shells := []string{"sh"}
	for _, other := range []string{"bash", "dash"} {
		if _, err := exec.LookPath(other); err == nil {
			shells = append(shells, other)
		}
	}
	return shells
}

// runScript runs a script and gives what arrived.
func runScript(t interface{ Fatalf(string, ...any) }, sh, script string, l *listener, env ...string) []received {
	cmd := exec.Command(sh)
	cmd.Stdin = strings.NewReader(script)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "http_proxy=http://127.0.0.1:1"}, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", sh, err, out, script)
	}
	return l.taken()
}

// expected is what a request must look like when it arrives.
func expected(base string, q *trace.Request, secret string) received {
	raw, _ := bodyBytes(q.Body)
	r := received{line: q.Method + " " + base + q.Target + " HTTP/1.1", body: string(raw)}
	for _, h := range q.Header {
		value := strings.ReplaceAll(h[1], "«auth»", secret)
		r.header = append(r.header, strings.TrimRight(h[0]+": "+value, " "))
	}
	if withData(q) {
		r.header = append(r.header, "Content-Length")
	}
	return r
}

func sameRequest(a, b received) bool {
	x, y := slices.Clone(a.header), slices.Clone(b.header)
	for i := range x {
		x[i] = strings.TrimRight(x[i], " ")
	}
	slices.Sort(x)
	slices.Sort(y)
	return a.line == b.line && a.body == b.body && slices.Equal(x, y)
}

func post(text string, header ...[2]string) *trace.Request {
	return &trace.Request{ID: "r", Method: "POST", Target: "/v1/charges?a=%20'b&c[]={1}", Key: "k-1", Header: header, Body: body(text)}
}

func TestScriptsSendTheRecordedBytes(t *testing.T) {
	shells := shell(t)
	l := listen(t)
	json := [2]string{"Content-Type", "application/json"}
	key := [2]string{"Idempotency-Key", "k-1"}
	auth := [2]string{"Authorization", "Bearer «auth»"}
	binary := string([]byte{0, 1, 0xff, 0xfe, '\n', '\r', '\'', '"', '$', '\\', 0})
	for _, c := range []struct {
		name string
		all  []*trace.Request
	}{
		{"json", []*trace.Request{post(bodyOne, json, key), post(bodyTwo, json, key), post(bodyOne, json, key)}},
		{"every quote", []*trace.Request{post(`'"`+"`$(id) ${HOME} \\n \\\\ %s !! 'a' \"b\"", json, key)}},
		{"newlines", []*trace.Request{post("{\n  \"a\": 1\n}\n", json, key), post("\n\n", json), post("a\r\n", json)}},
		{"binary", []*trace.Request{post(binary, [2]string{"Content-Type", "application/octet-stream"}, key)}},
		{"binary with auth", []*trace.Request{post(binary, auth, key), post(bodyOne, auth, key), post("x\ny", auth)}},
		{"auth", []*trace.Request{post(bodyOne, json, key, auth), post(bodyOne, json, key, auth)}},
		{"begins with @", []*trace.Request{post("@/etc/hostname", json), post("@", auth)}},
		{"no media type", []*trace.Request{post("a=b", key)}},
		{"no body", []*trace.Request{post("", key), {Method: "GET", Target: "/x", Key: "k"}, {Method: "DELETE", Target: "/x/../y"}}},
		{"sf-string key", []*trace.Request{post(bodyOne, json, [2]string{"Idempotency-Key", `"k-1"`})}},
		{"odd headers", []*trace.Request{post(bodyOne, [2]string{"X-A", `it's "1" $HOME`}, [2]string{"X-A", "2"}, [2]string{"X-Empty", ""},
			[2]string{"Accept", "text/plain"}, [2]string{"User-Agent", "own/1"}, [2]string{"x-bytes", "caf\u00e9"}, key)}},
		{"two keys", []*trace.Request{post(bodyOne, key), {Method: "POST", Target: "/v1", Key: "it's", Header: [][2]string{{"K", "it's"}}, Body: body("b")}}},
		{"large", []*trace.Request{post(strings.Repeat("0123456789abcdef", 4000), json)}},
	} {
		var f probe.Finding
		for i, q := range c.all {
			f.Exchanges = append(f.Exchanges, exchange("call it's", int64(100*i+1), q, 201, "ok"))
		}
		s := Source{File: "contract.yaml", Operation: "op", Step: "duplicate", Options: Options{BaseURLs: []string{l.url + "/base/"}}}
		script := Repro(s, f)
		if !strings.HasPrefix(script, "#!/bin/sh\n") {
			t.Fatalf("%s: no script: %s", c.name, script)
		}
		for _, sh := range shells {
			got := runScript(t, sh, script, l, "IDEM_AUTH=s3cr'et $x")
			if len(got) != len(c.all) {
				t.Fatalf("%s, %s: %d requests arrived\n%s", c.name, sh, len(got), script)
			}
			for i, q := range c.all {
				if want := expected("/base", q, "s3cr'et $x"); !sameRequest(got[i], want) {
					t.Errorf("%s, %s, request %d:\ngot  %q\nwant %q\n%s", c.name, sh, i+1, got[i], want, script)
				}
			}
		}
	}
}

// A script speaks as idem spoke: curl would else choose for itself.
func TestScriptSpeaksTheSameHTTP(t *testing.T) {
	for protocol, want := range map[string]string{"HTTP/1.1": " --http1.1 ", "HTTP/2": " --http2-prior-knowledge "} {
		x := exchange("first", 1, post(bodyOne), 201, "ok")
		x.Sent.Protocol = protocol
		script := Repro(Source{File: "contract.yaml", Step: "duplicate"}, probe.Finding{Exchanges: []probe.Exchange{x}})
		if !strings.HasPrefix(script, shebang) || !strings.Contains(script, want) {
			t.Errorf("%s: %s", protocol, script)
		}
	}
}

func TestScriptsTakeAnyBytes(t *testing.T) {
	shell(t)
	l := listen(t)
	s := Source{File: "c.yaml", Operation: "op", Step: "duplicate", Options: Options{BaseURLs: []string{l.url}}}
	rapid.Check(t, func(t *rapid.T) {
		var f probe.Finding
		var all []*trace.Request
		for i, raw := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 300), 1, 4).Draw(t, "bodies") {
			q := post(string(raw), [2]string{"Content-Type", "x/y"})
			if rapid.Bool().Draw(t, "text") {
				q.Body = body(rapid.StringN(1, 60, -1).Draw(t, "body"))
			}
			if masks(q.Body.Head) != nil {
				continue
			}
			all = append(all, q)
			f.Exchanges = append(f.Exchanges, exchange("x", int64(100*i+1), q, 201, "ok"))
		}
		if len(all) == 0 {
			return
		}
		script := Repro(s, f)
		got := runScript(t, "sh", script, l)
		for i, q := range all {
			if want := expected("", q, ""); len(got) != len(all) || !sameRequest(got[i], want) {
				t.Fatalf("request %d:\ngot  %q\nwant %q\n%s", i+1, got, want, script)
			}
		}
	})
}

func TestScriptAsksForWhatItLacks(t *testing.T) {
	for _, sh := range shell(t) {
		f := probe.Finding{Exchanges: []probe.Exchange{exchange("x", 1, post("b", [2]string{"Authorization", "«auth»"}), 201, "ok")}}
		for _, c := range []struct {
			base, want string
			env        string
		}{
			{"http://127.0.0.1:1", "IDEM_AUTH", "A=B"},
			{"${TARGET}", "BASE_URL", "IDEM_AUTH=x"},
			{"", "BASE_URL", "IDEM_AUTH=x"},
		} {
			s := Source{File: "c.yaml", Step: "duplicate", Options: Options{BaseURLs: []string{c.base}}}
			cmd := exec.Command(sh)
			cmd.Stdin = strings.NewReader(Repro(s, f))
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), c.env}
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%s, %q: %v, %s", sh, c.base, err, out)
			}
		}
	}
}

func TestScriptTakesANewKey(t *testing.T) {
	shell(t)
	l := listen(t)
	q := post(bodyOne, [2]string{"Idempotency-Key", "k-1"})
	f := probe.Finding{Exchanges: []probe.Exchange{exchange("x", 1, q, 201, "ok")}}
	script := Repro(Source{Step: "duplicate", Options: Options{BaseURLs: []string{l.url}}}, f)
	got := runScript(t, "sh", script, l, "KEY_A=another one")
	if len(got) != 1 || !slices.Contains(got[0].header, "Idempotency-Key: another one") {
		t.Errorf("got %q", got)
	}
}

// TestScriptAsksForTheContractsVariable, so that what is set for idem is set
// for the script; not where the script has another use for that name.
func TestScriptAsksForTheContractsVariable(t *testing.T) {
	l := listen(t)
	sh := shell(t)[0]
	for variable, want := range map[string]string{"API_TOKEN": "API_TOKEN", "_t0": "_t0", "": "IDEM_AUTH", "secret": "IDEM_AUTH",
		"KEY_A": "IDEM_AUTH", "BODY_A": "IDEM_AUTH", "BASE_URL": "IDEM_AUTH", "1A": "IDEM_AUTH", "A B": "IDEM_AUTH", "A=$(id)": "IDEM_AUTH", "Ä": "IDEM_AUTH"} {
		q := post(bodyOne, [2]string{"Authorization", "Bearer «auth»"})
		f := probe.Finding{Exchanges: []probe.Exchange{exchange("x", 1, q, 201, "ok")}}
		s := Source{Step: "duplicate", Options: Options{BaseURLs: []string{l.url}, Secrets: map[string]string{"auth": variable}}}
		got := runScript(t, sh, Repro(s, f), l, want+"=s3cret")
		if len(got) != 1 || !slices.Contains(got[0].header, "Authorization: Bearer s3cret") {
			t.Errorf("%s: %q", variable, got)
		}
	}
}

// TestScriptOfAFinding: --script gives a script whole, and says what else there
// is where it has none.
func TestScriptOfAFinding(t *testing.T) {
	r := failing()
	for _, name := range []string{"duplicate/effect-ran-twice", "duplicate/effect-ran-twice#create-charge"} {
		if got, err := Script(r, goldenOptions, name); err != nil || !strings.HasPrefix(got, "#!/bin/sh\n") || !strings.Contains(got, "--data-binary") {
			t.Errorf("%s: %v, %s", name, err, got)
		}
	}
	for name, hint := range map[string]string{
		"concurrent/effect-ran-twice": "idem verify contract.yaml --live --only concurrent --operation create-charge --seed 7",
		"conflict/wrong-answer":       "--script duplicate/effect-ran-twice, or reorder/effect-ran-twice",
		"":                            "--script duplicate/effect-ran-twice, or reorder/effect-ran-twice",
	} {
		if got, err := Script(r, goldenOptions, name); err == nil || got != "" || problem.Hint(err) != hint {
			t.Errorf("%q: %q, %v, hint %q", name, got, err, problem.Hint(err))
		}
	}
	if _, err := Script(passing(), goldenOptions, "duplicate/effect-ran-twice"); err == nil {
		t.Error("a script of a run without findings")
	}
}

// TestLongScriptsWaitToBeAskedFor, and stand at the line's beginning then.
func TestLongScriptsWaitToBeAskedFor(t *testing.T) {
	short := probe.Finding{Slug: "duplicate/refused", Repro: strings.Repeat("true\n", scriptLines)}
	long := probe.Finding{Slug: "duplicate/refused", Repro: strings.Repeat("true\n", scriptLines+1)}
	for _, c := range []struct {
		f       probe.Finding
		verbose bool
		want    string
	}{
		{short, false, "\n    true\n"}, {short, true, "\n    true\n"}, {long, true, "\ntrue\n"},
		{long, false, "idem report TRACE --script duplicate/refused\n"},
	} {
		r := failing()
		r.Operations[0].Steps[0].Findings = []probe.Finding{c.f}
		var b strings.Builder
		if err := Write(&b, "human", r, Options{Verbose: c.verbose}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) || strings.Contains(b.String(), "true\n") != strings.Contains(c.want, "true\n") {
			t.Errorf("verbose %v: no %q in\n%s", c.verbose, c.want, b.String())
		}
	}
}

func TestNoSecretInArguments(t *testing.T) {
	f := probe.Finding{Exchanges: []probe.Exchange{exchange("x", 1, post("\n", [2]string{"Authorization", "Bearer «auth»"}), 201, "ok")}}
	script := Repro(Source{Step: "duplicate"}, f)
	for line := range strings.Lines(script) {
		if at := strings.Index(line, "curl"); at >= 0 && strings.Contains(line[at:], "secret") {
			t.Errorf("a secret among curl's arguments: %s", line)
		}
	}
	if !strings.Contains(script, "-H @-") {
		t.Error(script)
	}
}

func TestShellWords(t *testing.T) {
	for _, sh := range shell(t) {
		rapid.Check(t, func(t *rapid.T) {
			var script strings.Builder
			var want string
			for _, word := range rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("'\"\\$`%-!~*\n\t {}()é\u202e")), 0, 20, -1)), 1, 20).Draw(t, "words") {
				word = strings.TrimRight(strings.ReplaceAll(word, "\x00", ""), "\n")
				fmt.Fprintf(&script, "printf '%%s|' %s\n", shWord(word))
				want += word + "|"
			}
			if !isClean(strings.ReplaceAll(script.String(), "\n", "")) {
				t.Fatalf("unclean script %q", script.String())
			}
			cmd := exec.Command(sh)
			cmd.Stdin = strings.NewReader(script.String())
			out, err := cmd.Output()
			if err != nil || string(out) != want {
				t.Fatalf("%v: got %q, want %q\n%s", err, out, want, script.String())
			}
		})
	}
}
