package contract

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

func (r *reader) request(b *fields) Request {
	q := Request{Method: b.method(""), Path: b.path("path"), Pos: b.at}
	q.Headers = r.requestHeaders(b)
	body := r.body(b, q.Headers, "")
	if body != nil {
		q.Body = body.Body
	}
	q.Fresh = r.fresh(b)
	r.checkFreshIn(b, body, q.Fresh)
	variant := func(n *document.Node, into map[string]Variant, name string) {
		r.object(n, "variant", func(b *fields) { into[name] = r.variant(b, &q) })
	}
	r.child(b, "failing", false, "failing", func(b *fields) {
		q.Failing = map[string]Variant{}
		for _, m := range b.Node.Members {
			variant(m.Value, q.Failing, m.Name)
		}
	})
	r.child(b, "slow", false, "variant", func(b *fields) {
		v := r.variant(b, &q)
		q.Slow = &v
	})
	r.child(b, "variants", false, "variants", func(b *fields) {
		q.Variants = map[string]Variant{}
		for _, m := range b.Node.Members {
			variant(m.Value, q.Variants, m.Name)
		}
	})
	return q
}

// variant reads what replaces parts of the request. Fresh values apply to
// variants too, so their places must be there.
func (r *reader) variant(b *fields, q *Request) Variant {
	v := Variant{Headers: r.requestHeaders(b), Pos: b.at}
	body := r.body(b, override(q.Headers, v.Headers), mediaOf(q.Body.Kind))
	if body != nil {
		v.Body = &body.Body
		r.checkFreshIn(b, body, q.Fresh)
	}
	if body == nil && v.Headers == nil && r.err == nil {
		r.fail(b.Node.Errorf("a variant that changes nothing").WithHint("give it headers, body, form or body_file"))
	}
	return v
}

// override gives the headers of a variant: its own, and the request's others.
func override(base, own [][2]string) [][2]string {
	out := append([][2]string(nil), own...)
	for _, h := range base {
		if _, ok := headerValue(own, h[0]); !ok {
			out = append(out, h)
		}
	}
	return out
}

func headerValue(headers [][2]string, name string) (string, bool) {
	for _, h := range headers {
		if strings.EqualFold(h[0], name) {
			return h[1], true
		}
	}
	return "", false
}

// framing is what idem writes itself (RFC 9110, 6.6, 7.2, 8.6; RFC 9112, 6):
// another value would break the request, or keep it from being frozen.
var framing = [...]string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Expect", "Trailer", "TE"}

func (r *reader) requestHeaders(b *fields) [][2]string {
	list := r.headers(b.Get("headers"), "headers")
	for _, name := range framing {
		if _, ok := headerValue(list, name); ok {
			r.failHeader(b, name, "is written by idem")
		}
	}
	return list
}

// failHeader says what is wrong with a header field of a headers member.
func (r *reader) failHeader(b *fields, name, why string) {
	n := b.Get("headers")
	if n == nil || n.Kind != document.Object {
		return
	}
	for _, m := range n.Members {
		if strings.EqualFold(m.Name, name) {
			r.fail(problem.New(at(r.file, Pos{m.Line, m.Column}), "header %s %s", m.Name, why).
				WithHint("leave %s out of headers", m.Name))
		}
	}
}

// headersApart refuses fields that would be sent twice: what carries the key,
// its companion or a credential stands in no headers.
func (r *reader) headersApart(root *fields, c *Contract) {
	if r.err != nil {
		return
	}
	for i, n := range root.Get("operations").Items {
		k := c.Operations[i].Key
		taken := map[string]string{k.Header: "carries the idempotency key"}
		if k.Companion != nil {
			taken[k.Companion.Header] = "travels with the key, under key.companion"
		}
		for _, a := range []*Auth{c.Target.Auth, c.Target.OtherAuth} {
			if a != nil {
				taken[a.Header] = "carries the credential of target.auth"
			}
		}
		delete(taken, "")
		request := n.Lookup("request")
		holders := []*document.Node{request, request.Lookup("slow")}
		for _, group := range []string{"failing", "variants"} {
			if g := request.Lookup(group); g != nil {
				for _, m := range g.Members {
					holders = append(holders, m.Value)
				}
			}
		}
		for _, name := range sortedKeys(taken) {
			for _, h := range holders {
				if h != nil {
					r.failHeader(&fields{Fields: &document.Fields{Node: h}, r: r, at: pos(h)}, name, taken[name])
				}
			}
		}
	}
}

// instanceApart refuses to promise on every replay what names the replica that
// answers: it differs wherever another one does.
func (r *reader) instanceApart(root *fields, c *Contract) {
	if r.err != nil || c.Target.Instance == "" {
		return
	}
	for i, n := range root.Get("operations").Items {
		for _, name := range c.Operations[i].Promise.SameHeaders {
			if !strings.EqualFold(name, c.Target.Instance) {
				continue
			}
			at := n
			if promised := n.Lookup("promise"); promised != nil && promised.Lookup("same_headers") != nil {
				at = promised.Lookup("same_headers")
			}
			r.fail(at.Errorf("same_headers has %s, which names the replica that answers (target.instance)", name).
				WithHint("leave %s out of same_headers", name))
		}
	}
}

func (r *reader) fresh(b *fields) []Fresh {
	n := b.Get("fresh")
	if n == nil || r.err != nil {
		return nil
	}
	if n.Kind != document.Array {
		r.fail(n.Errorf("fresh must be a list, not %s", n.Kind).WithHint("fresh: [/order_id]"))
		return nil
	}
	var list []Fresh
	for _, item := range n.Items {
		f := Fresh{As: "text", Pos: pos(item)}
		switch item.Kind {
		case document.String:
			f.At = item.Text
			r.pointer(item, f.At, "each of fresh", false)
		case document.Object:
			r.object(item, "fresh", func(b *fields) { r.freshForm(b, &f) })
		default:
			r.fail(item.Errorf("each of fresh must be a pointer or an object, not %s", item.Kind))
		}
		for _, before := range list {
			switch {
			case before.At == f.At:
				r.fail(item.Errorf("fresh has %s twice", document.Show(f.At)))
			case nested(before.At, f.At):
				r.fail(item.Errorf("fresh has %s and %s, of which one holds the other",
					document.Show(before.At), document.Show(f.At)))
			}
		}
		list = append(list, f)
	}
	return list
}

// maxFresh is the largest integer that every reader of JSON takes exactly
// (RFC 8259, 6).
const maxFresh = 1<<53 - 1

func (r *reader) freshForm(b *fields, f *Fresh) {
	b.Must("at")
	f.At = b.optPointer("at")
	f.As = b.word("as", "text")
	f.Max = b.wholeNumber("max", 1, maxFresh)
	if b.Has("max") && f.As != "integer" {
		r.fail(b.Get("max").Errorf("max is for integers").WithHint("{at: %s, as: integer, max: ...}", f.At))
	}
}

// nested says whether one pointer is the other or leads to it.
func nested(a, b string) bool {
	return strings.HasPrefix(b+"/", a+"/") || strings.HasPrefix(a+"/", b+"/")
}

func (r *reader) fingerprint(b *fields) Fingerprint {
	return Fingerprint{Headers: b.headerNames("headers"), Ignore: b.pointers("ignore", false)}
}

// sibling reads another endpoint. The operation's own would meet its replay,
// and a right service would be accused of it.
func (r *reader) sibling(b *fields, own *Request) *Sibling {
	s := &Sibling{Method: b.method(""), Path: b.path("path"), Pos: b.at}
	if r.err == nil && s.Method == own.Method && s.Path == own.Path {
		r.fail(b.Get("path").Errorf("the sibling is the operation's own endpoint").
			WithHint("name another endpoint that takes the same body, or leave sibling out"))
	}
	r.within = true
	s.Effects = r.effects(b, own.Fresh)
	r.within = false
	return s
}
