package contract

import (
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

const defaultTimeout = 10 * time.Second

func (r *reader) target(b *fields) Target {
	t := Target{
		BaseURLs:   r.baseURLs(b, true),
		AllowHosts: r.allowHosts(b),
		Timeout:    defaultTimeout,
		Pos:        b.at,
	}
	if d, known := b.duration("timeout", "10s"); known {
		t.Timeout = d
	}
	r.child(b, "auth", false, "auth", func(b *fields) { t.Auth = r.auth(b) })
	r.child(b, "other_auth", false, "auth", func(b *fields) { t.OtherAuth = r.auth(b) })
	r.child(b, "instance", false, "instance", func(b *fields) { t.Instance = b.headerName("header", true) })
	t.HTTP = b.httpVersion("http")
	if r.err == nil && t.Auth != nil && t.OtherAuth != nil {
		other := *t.OtherAuth
		other.Pos = t.Auth.Pos
		if reflect.DeepEqual(*t.Auth, other) {
			r.fail(b.Get("other_auth").Errorf("other_auth is the same as auth").
				WithHint("name the credential of another principal, or leave other_auth out"))
		}
	}
	return t
}

func (r *reader) baseURLs(b *fields, must bool) []string {
	var list []string
	for _, n := range b.list("base_urls", must) {
		s := r.string(n, "each of base_urls")
		r.checkBaseURL(n, s)
		for _, before := range list {
			if r.err == nil && sameURL(before, s) {
				r.fail(n.Errorf("base_urls has %s twice", document.Show(n.Text)).
					WithHint("replicas behind one URL are told apart by target.instance"))
			}
		}
		list = append(list, s)
		r.urls = append(r.urls, placed{s, pos(n)})
	}
	return list
}

// sameURL says whether two base URLs lead to the same place, whatever the case
// of their host, with or without the scheme's port and a last slash: a replica
// named twice would pass for two.
func sameURL(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := url.Parse(a)
	y, err2 := url.Parse(b)
	if err1 != nil || err2 != nil || x.Scheme != y.Scheme {
		return false
	}
	p, bad1 := parseHost(hostPort(x))
	q, bad2 := parseHost(hostPort(y))
	return bad1 == "" && bad2 == "" && p == q && strings.TrimRight(x.Path, "/") == strings.TrimRight(y.Path, "/")
}

// checkBaseURL shows no more of a URL than stands in the file, and nothing of
// one that carries a password.
func (r *reader) checkBaseURL(n *document.Node, filled string) {
	s, ok := r.sample(n, filled, "x")
	if scheme, _, _ := strings.Cut(n.Text, "://"); r.texts == nil && strings.Contains(scheme, "${") {
		ok = false // http${S}://
	}
	if !ok || r.err != nil {
		return
	}
	hint := "base_urls: [http://127.0.0.1:8080]"
	if full, err := url.Parse("http://" + n.Text); err == nil && full.User == nil && full.Host != "" && full.RawQuery == "" && !strings.Contains(n.Text, "://") {
		hint = "base_urls: [http://" + n.Text + "]"
	}
	u, err := url.Parse(s)
	switch {
	case err != nil && strings.Contains(s, "@"):
		r.fail(n.Errorf("a base URL that cannot be read").WithHint("%s", hint))
	case err != nil:
		r.fail(n.Errorf("%s is no URL", document.Show(n.Text)).WithHint("%s", hint))
	case u.User != nil || u.Host == "" && strings.Contains(s, "@"):
		r.fail(n.Errorf("a base URL with user name or password").WithHint("target.auth: {header: Authorization, env: API_TOKEN}"))
	case u.Scheme != "http" && u.Scheme != "https":
		r.fail(n.Errorf("%s is no http or https URL", document.Show(n.Text)).WithHint("%s", hint))
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(s, "#"):
		r.fail(n.Errorf("a base URL with query or fragment").WithHint("the query stands in request.path"))
	default:
		host, err := parseHost(u.Host)
		if err != "" {
			r.fail(n.Errorf("%s has no good host: %s", document.Show(n.Text), err).WithHint("%s", hint))
		} else if strings.HasSuffix(u.Host, ":") && host.port == "" {
			r.fail(n.Errorf("%s has a colon but no port", document.Show(n.Text)).WithHint("%s", hint))
		}
	}
}

func (r *reader) allowHosts(b *fields) []string {
	if !b.Has("allow_hosts") {
		return nil
	}
	var list []string
	for _, n := range b.list("allow_hosts", false) {
		s := r.string(n, "each of allow_hosts")
		list = append(list, s)
		sample, ok := r.sample(n, s, "x")
		if !ok || r.err != nil {
			continue
		}
		if u, err := url.Parse(sample); err == nil && u.Host != "" {
			r.fail(n.Errorf("%s is a URL; allow_hosts takes host names", document.Show(n.Text)))
		} else if _, bad := parseHost(sample); bad != "" {
			r.fail(n.Errorf("%s is no host: %s", document.Show(n.Text), bad))
		}
	}
	return list
}

func (r *reader) auth(b *fields) *Auth {
	a := &Auth{Pos: b.at}
	source := b.choose(true, "env", "file", "command", "mtls")
	a.Header = b.headerName("header", source == "env" || source == "file")
	switch source {
	case "env":
		a.Env = b.variable("env")
	case "file":
		a.File = b.text("file")
	case "command":
		a.Command = b.command("command", true)
		a.Per = b.word("per", "run")
	case "mtls":
		r.child(b, "mtls", true, "mtls", func(b *fields) { a.Cert, a.CertKey = b.text("cert"), b.text("key") })
	}
	if n := b.Get("prefix"); n != nil {
		a.Prefix = b.optText("prefix")
		r.checkHeaderValue(n, a.Prefix, "prefix")
	}
	r.authFits(b, source)
	return a
}

// authFits refuses members that the source of the secret does not use.
func (r *reader) authFits(b *fields, source string) {
	unused := func(name, why string) {
		if m := b.Member(name); m != nil {
			r.fail(problem.New(at(r.file, Pos{m.Line, m.Column}), "%s %s", name, why).WithHint("leave %s out", name))
		}
	}
	if source == "mtls" {
		unused("header", "is not used with mtls")
	}
	if !b.Has("header") {
		unused("prefix", "needs a header to stand in")
	}
	if source != "command" {
		unused("per", "is for a command alone")
	}
}

// variable reads a member that names an environment variable.
func (b *fields) variable(name string) string {
	s := b.text(name)
	n := b.Get(name)
	if sample, ok := b.r.sample(n, s, "X"); ok && b.r.err == nil && !isName(sample) {
		// What is no name may well be the secret itself: it is not shown.
		b.r.fail(n.Errorf("%s must name an environment variable, and this is no name", name))
	}
	return s
}

func (r *reader) limits(b *fields, operations []*Operation) Limits {
	l := Limits{Pos: b.at, MaxOperations: int(b.wholeNumber("max_operations", 1, 1_000_000_000))}
	if n := b.Get("rate"); n != nil {
		l.Rate = r.rate(n)
	}
	r.child(b, "cleanup", false, "cleanup", func(b *fields) {
		l.Cleanup = b.command("run", true)
		for i, s := range l.Cleanup {
			// It is called for each operation made, whichever it was.
			for _, o := range operations {
				r.checkFresh(b.Get("run").Items[i], s, "cleanup", o.Request.Fresh)
			}
		}
	})
	return l
}

// rate reads "20/s", "90/m" or "0.5/s" as operations a second.
func (r *reader) rate(n *document.Node) float64 {
	number, unit, _ := strings.Cut(n.Text, "/")
	seconds := map[string]float64{"s": 1, "m": 60, "h": 3600}[unit]
	v, err := strconv.ParseFloat(number, 64)
	if n.Kind != document.String || seconds == 0 || err != nil || strings.Trim(number, "0123456789.") != "" || v <= 0 {
		r.fail(n.Errorf("rate must be a number of operations by s, m or h").WithHint("rate: 20/s"))
		return 0
	}
	return v / seconds
}

func (r *reader) step(n *document.Node) string {
	if n == nil {
		return ""
	}
	step, err := n.AsEnum("step", allSteps()...)
	r.fail(err)
	return step
}

func (r *reader) waiver(b *fields, c *Contract) Waiver {
	w := Waiver{Step: r.step(b.Must("step")), Reason: b.name("reason"), Until: b.text("until"), Pos: b.at}
	if r.err != nil {
		return w
	}
	if n := b.Get("operation"); n != nil {
		var names []string
		for _, o := range c.Operations {
			names = append(names, o.Name)
		}
		name, err := n.AsEnum("operation", names...)
		r.fail(err)
		w.Operation = name
	}
	if n := b.Get("until"); r.err == nil {
		if day, err := time.Parse(time.DateOnly, w.Until); err != nil || day.Format(time.DateOnly) != w.Until {
			r.fail(n.Errorf("%s is no date", document.Show(n.Text)).WithHint("until: 2027-06-30"))
		}
	}
	for _, before := range c.Waive {
		if before.Step == w.Step && before.Operation == w.Operation {
			r.fail(b.Node.Errorf("%s is waived twice, first on line %d", w.Step, before.Pos.Line).
				WithHint("keep one of them"))
		}
	}
	return w
}
