package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// script is a shell script in the making. Keys, bodies and secrets have names
// of their own, so that a reader sees what is the same.
type script struct {
	source   Source
	names    namer
	setup    []string // assignments, in order of first use
	known    map[string]bool
	calls    []string
	withheld bool // some header line holds a secret
}

// newScript gives nil where some request has more than one secret: a script
// for those is not worth its reader's time.
func newScript(s Source, xs []probe.Exchange) *script {
	c := &script{source: s, known: map[string]bool{}}
	for _, x := range xs {
		secrets := 0
		for _, h := range c.fields(x) {
			if isMasked(h) {
				secrets++
			}
		}
		if secrets > 1 {
			return nil
		}
		c.withheld = c.withheld || secrets == 1
	}
	several := severalTargets(xs)
	for i, x := range xs {
		c.calls = append(c.calls, "say "+shQuote(fmt.Sprintf("%d%s", i+1, told(x, several)))+"\n"+c.call(x))
	}
	return c
}

const shebang = "#!/bin/sh\n"

// The part of every curl command that is the same. Nothing is sent but what
// was recorded: curl's own headers are taken off, its configuration file,
// globs and proxies switched off. A header line with a secret comes through a
// pipe, since every process of a machine sees the arguments of the others.
const (
	curlPlain  = `send() { curl -q -sS -i -g --path-as-is --noproxy '*' -w '\n' -H 'User-Agent:' -H 'Accept:' -H 'Expect:' "$@"; }`
	curlSecret = `send() { secret=$1; shift; printf '%s\n' "$secret" | ` +
		`curl -q -sS -i -g --path-as-is --noproxy '*' -w '\n' -H 'User-Agent:' -H 'Accept:' -H 'Expect:' -H @- "$@"; }`
)

// What is said beside the answers.
const sayFunction = `say() { printf '\n== %s\n' "$@"; }`

func (c *script) text(again string, f probe.Finding) string {
	function := curlPlain
	if c.withheld {
		function = curlSecret
	}
	return shebang +
		"# Sends the recorded bytes. A target that still holds a key answers from its record:\n" +
		"# begin with an empty target" + c.freshKeys() + ", or let idem make all anew:\n" +
		"#   " + again +
		"set -eu\n" + strings.Join(c.setup, "\n") + "\n" + sayFunction + "\n" + function + "\n\n" +
		strings.Join(append(c.calls, lastWords(f)...), "\n\n") + "\n"
}

// once adds an assignment unless its name is set already.
func (c *script) once(name, line string) {
	if !c.known[name] {
		c.known[name] = true
		c.setup = append(c.setup, line)
	}
}

// call is one request.
func (c *script) call(x probe.Exchange) string {
	q := x.Request
	first := "send"
	args, secret := c.headers(x)
	if c.withheld {
		first += " " + secret
	}
	switch x.Sent.Protocol {
	case "HTTP/1.1":
		first += " --http1.1"
	case "HTTP/2":
		first += " --http2-prior-knowledge"
	}
	if q.Method == "HEAD" {
		first += " --head"
	} else {
		first += " -X " + shWord(q.Method)
	}
	first += ` "$` + c.base(x.Sent.Target) + `"` + shQuote(q.Target)
	pipe, data, after := c.body(q)
	if data != "" {
		args = append(args, data)
	}
	return pipe + strings.Join(append([]string{first}, args...), " \\\n  ") + after
}

// base names the variable that holds the base URL a request went to; recorded
// targets are relative to it.
func (c *script) base(target string) string {
	name, i := "BASE_URL", 0
	if target != "" && target != "0" {
		n, err := strconv.Atoi(target)
		if i = n; err != nil {
			i = -1
		}
		name = "BASE_URL_" + variable(cmp.Or(replica(target), target))
	}
	if i >= 0 && i < len(c.source.BaseURLs) {
		if base := strings.TrimRight(c.source.BaseURLs[i], "/"); plainURL(base) {
			c.once(name, fmt.Sprintf(`[ -n "${%s-}" ] || %s=%s`, name, name, shQuote(base)))
			return name
		}
	}
	c.once(name, fmt.Sprintf(`: "${%s:?set it to the base URL of the target, such as http://127.0.0.1:8080}"`, name))
	return name
}

// plainURL says that a base URL can stand in a script: whole, with no ${NAME}
// left in it and no credentials.
func plainURL(url string) bool {
	return strings.Contains(url, "://") && isClean(url) && !strings.ContainsAny(url, "${}@ ")
}

// fields gives a request's header fields and those that are added as it is
// sent, of the principal that sent it.
func (c *script) fields(x probe.Exchange) [][2]string {
	fields, auth := slices.Clone(x.Request.Header), c.source.Auth
	if byOther(x) {
		auth = c.source.OtherAuth
	}
	for _, h := range auth {
		if len(trace.Get(fields, h[0])) == 0 {
			fields = append(fields, h)
		}
	}
	return fields
}

func isMasked(field [2]string) bool { return masks(field[1]) != nil }

// headers gives the -H arguments and, apart from them, the header line that
// holds a secret as one shell word.
func (c *script) headers(x probe.Exchange) (args []string, secret string) {
	q, seen := x.Request, map[string]bool{}
	for _, h := range c.fields(x) {
		name := strings.ToLower(h[0])
		if name == "host" || name == "content-length" || name == "connection" || name == "transfer-encoding" {
			continue // made by curl, alike
		}
		seen[name] = true
		switch {
		case isMasked(h):
			secret = c.secretive(h[0] + ": " + h[1])
		case q.Key != "" && h[1] == q.Key:
			args = append(args, "-H "+shQuote(h[0]+": ")+`"$`+c.key(q.Key)+`"`)
		case q.Key != "" && h[1] == `"`+q.Key+`"`: // a String of RFC 9651, 3.3.3
			args = append(args, "-H "+shQuote(h[0]+`: "`)+`"$`+c.key(q.Key)+`"'"'`)
		case h[1] == "":
			args = append(args, "-H "+shQuote(h[0]+";"))
		default:
			args = append(args, "-H "+shQuote(h[0]+": "+h[1]))
		}
	}
	if withData(q) && !seen["content-type"] {
		args = append(args, "-H 'Content-Type:'") // curl's own for --data
	}
	if secret == "" {
		secret = "''"
	}
	return args, secret
}

// key names the variable of a key and sets it unless the caller has.
func (c *script) key(key string) string {
	name := "KEY_" + c.names.key(key)
	c.once(name, fmt.Sprintf(`[ -n "${%s-}" ] || %s=%s`, name, name, shQuote(key)))
	return name
}

// secretive puts variables where a header line has masks.
func (c *script) secretive(line string) string {
	var b strings.Builder
	at := 0
	for _, m := range masks(line) {
		label := strings.TrimSuffix(strings.TrimPrefix(line[m[0]:m[1]], maskOpens), maskCloses)
		name := c.secretName(label)
		shown := "masked"
		if only(label, "_./-") {
			shown = "as " + line[m[0]:m[1]]
		}
		how := "set it to the secret"
		if name == c.source.Secrets[label] {
			how = "set it as for a live run, to the secret"
		}
		c.once(name, fmt.Sprintf(`: "${%s:?%s that the report shows %s}"`, name, how, shown))
		if m[0] > at {
			b.WriteString(shQuote(line[at:m[0]]))
		}
		b.WriteString(`"$` + name + `"`)
		at = m[1]
	}
	if at < len(line) {
		b.WriteString(shQuote(line[at:]))
	}
	return b.String()
}

// secretName is the variable that a secret is asked for by: the contract's own
// unless the script needs that name for something else.
func (c *script) secretName(label string) string {
	name := c.source.Secrets[label]
	own := name == "secret" || strings.HasPrefix(name, "BASE_URL") || strings.HasPrefix(name, "KEY_") || strings.HasPrefix(name, "BODY_")
	if name == "" || own || !only(name, "_") || '0' <= name[0] && name[0] <= '9' {
		return "IDEM_" + variable(label)
	}
	return name
}

// body gives what stands before the command, its data argument and what
// stands after it. Bytes that are not plain text come through base64, on
// descriptor 3 where standard input brings a secret.
func (c *script) body(q *trace.Request) (pipe, data, after string) {
	if q.Body.Size == 0 {
		if withData(q) {
			data = "--data-binary ''" // Content-Length: 0
		}
		return "", data, ""
	}
	raw, _ := bodyBytes(q.Body)
	name := "BODY_" + c.names.body(q.Body, "")
	if text := string(raw); isClean(text) && !strings.HasPrefix(text, "@") {
		c.once(name, name+"="+shQuote(text))
		return "", `--data-binary "$` + name + `"`, ""
	}
	c.once(name, name+"="+base64Of(raw)+" # base64")
	pipe = `printf %s "$` + name + `" | base64 -d | `
	if c.withheld {
		return pipe + "{ ", "--data-binary @/dev/fd/3", "; } 3<&0"
	}
	return pipe, "--data-binary @-", ""
}

// withData says that the request has a body, be it an empty one.
func withData(q *trace.Request) bool {
	return q.Body.Size > 0 || q.Method == "POST" || q.Method == "PUT" || q.Method == "PATCH"
}
