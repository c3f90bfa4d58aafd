package zoo

import (
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/probe"
)

// TestStylesDiffer: what a style says or does is not what the reference service
// says and does.
func TestStylesDiffer(t *testing.T) {
	for _, v := range Styles() {
		does := v.Options != nil || v.Behaviour != nil || v.Store != nil || v.Handler != nil
		if says := !reflect.DeepEqual(v.says(), standard()); !says && !does {
			t.Errorf("%s says and does what the reference service does", v.Name)
		}
	}
}

// TestStylesKeepTheirPromise sends each style the request of its own contract
// and the same bytes again, without the check, and holds the answers to what its
// contract promises of a duplicate.
func TestStylesKeepTheirPromise(t *testing.T) {
	for _, v := range append(Styles(), Reference()) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			op, request := firstRequest(t, v)
			r := newRig(t, v)
			first := r.served(request)
			if first.status/100 != 2 {
				t.Fatalf("the first got %+v", first)
			}
			for range 2 {
				r.holds(op, first, r.served(request))
			}
			r.pass(time.Second) // some count late
			r.wantEffects(request.Fresh["/order_id"], 1)
		})
	}
}

// firstRequest is what a check of the style would send first.
func firstRequest(t *testing.T, v Variant) (*contract.Operation, *probe.Request) {
	t.Helper()
	c, err := contract.Parse(v.Name+".yaml", v.Contract(Memory), nil)
	if err != nil {
		t.Fatal(err)
	}
	op := c.Operations[0]
	plans, err := probe.Plans(op, probe.Env{RunID: "00000000000000a1", Seed: 1, Keys: probe.GeneratedKeys{}, Contract: c}, probe.Selection{Only: []string{"duplicate"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		if i := slices.IndexFunc(p.Requests, func(q *probe.Request) bool { return q.ID == "duplicate/first" }); i >= 0 {
			return op, p.Requests[i]
		}
	}
	t.Fatal("the plan has no first request")
	return nil, nil
}

// served sends a request as it is, and again where the service is not ready.
func (r *rig) served(q *probe.Request) (got reply) {
	r.Helper()
	header := http.Header{}
	for _, f := range q.Header {
		header[f[0]] = append(header[f[0]], f[1])
	}
	r.eventually("it is answered", func() bool {
		got = r.sendWith(r.Context(), header, q.Method, q.Target, string(q.Body))
		return got.err == nil && got.status != 503
	})
	return got
}

// holds wants a duplicate's answer to be the promised one.
func (r *rig) holds(op *contract.Operation, first, again reply) {
	r.Helper()
	p := op.Promise
	was, is := fields(r, first), fields(r, again)
	switch d := p.Duplicate.Value; d.Mode {
	case "replay":
		for _, pointer := range p.Ignore {
			delete(was, strings.TrimPrefix(pointer, "/"))
			delete(is, strings.TrimPrefix(pointer, "/"))
		}
		if again.status != first.status || !reflect.DeepEqual(was, is) {
			r.Errorf("again %d %s, first %d %s", again.status, again.body, first.status, first.body)
		}
		for _, name := range p.SameHeaders {
			if first.header.Get(name) != again.header.Get(name) {
				r.Errorf("%s is not what it was", name)
			}
		}
	case "current":
		if first.status == http.StatusNoContent { // where it says nothing, it says where
			was["id"] = path.Base(first.header.Get("Location"))
		}
		if again.status/100 != 2 || was["id"] == nil || was["id"] != is["id"] {
			r.Errorf("again %d %s, first %s", again.status, again.body, first.body)
		}
	default:
		links, _ := is["links"].(map[string]any)
		if again.status != 409 || links["resource"] != first.header.Get("Location") {
			r.Errorf("again %d %s", again.status, again.body)
		}
	}
	if m := p.Marker; m != nil && (again.header.Get(m.Header) != m.Value || first.header.Get(m.Header) != "") {
		r.Errorf("the marker is %q on the first answer and %q on the replay", first.header.Get(m.Header), again.header.Get(m.Header))
	}
}

func fields(r *rig, a reply) map[string]any {
	r.Helper()
	out := map[string]any{}
	if a.status == http.StatusNoContent {
		return out
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		r.Errorf("%s: %v", a.body, err)
	}
	return out
}
