package effect

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
)

func sinkEffects(listen, match, distinct string) *contract.Effects {
	e := &contract.Effects{Kind: contract.BySink}
	e.Sink.Listen, e.Sink.Match, e.Sink.Distinct = listen, match, distinct
	return e
}

// openSink opens a sink on a free port and gives its counter and address.
func openSink(t *testing.T, match, distinct string) (Counter, string) {
	t.Helper()
	c := open(t, world(t, ""), sinkEffects("127.0.0.1:0", match, distinct))
	return c, "http://" + c.(*tally).sink.listener.Addr().String()
}

func send(t *testing.T, method, url, kind, body string, header ...string) int {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if resp.StatusCode == 200 && (err != nil || string(answer) != "{}" && method != "HEAD" || resp.Header.Get("Content-Type") != "application/json") {
		t.Errorf("answered %q, %v", answer, err)
	}
	return resp.StatusCode
}

func TestSinkCountsWhatArrives(t *testing.T) {
	for name, c := range map[string]struct {
		match, method, path, kind, body string
		want                            int64
	}{
		"JSON":                 {"/order_id", "POST", "/any/path", "application/json", `{"order_id":"o-1"}`, 1},
		"JSON without a type":  {"/order_id", "PUT", "/", "", `{"order_id":"o-1"}`, 1},
		"JSON, nested":         {"/data/0/id", "POST", "/", "application/json", `{"data":[{"id":"o-1"}]}`, 1},
		"JSON, a number":       {"/ref", "POST", "/", "application/json", `{"ref":17}`, 1},
		"JSON, number as text": {"/ref", "POST", "/", "application/json", `{"ref":"17"}`, 1},
		"form":                 {"/order_id", "POST", "/", "application/x-www-form-urlencoded; charset=utf-8", "a=b&order_id=o-1", 1},
		"form, nested":         {"/metadata/order_id", "POST", "/", "application/x-www-form-urlencoded", url.Values{"metadata[order_id]": {"o-1"}}.Encode(), 1},
		"query":                {"/order_id", "GET", "/?order_id=o-1", "", "", 1},
		"query beside a body":  {"/order_id", "POST", "/?order_id=o-1", "application/json", `{"other":1}`, 1},
		"other value":          {"/order_id", "POST", "/", "application/json", `{"order_id":"o-12"}`, 0},
		"other place":          {"/order_id", "POST", "/", "application/json", `{"id":"o-1"}`, 0},
		"not a text":           {"/order_id", "POST", "/", "application/json", `{"order_id":["o-1"]}`, 0},
		"broken JSON":          {"/order_id", "POST", "/", "application/json", `{"order_id":"o-1"`, 0},
		"value in the path":    {"/order_id", "POST", "/o-1", "", "", 0},
		"no body":              {"/order_id", "POST", "/", "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			counter, at := openSink(t, c.match, "")
			wants(t, counter, order, 0)
			for i := range int64(3) {
				if status := send(t, c.method, at+c.path, c.kind, c.body); status != 200 {
					t.Fatalf("answered %d", status)
				}
				wants(t, counter, order, c.want*(i+1))
			}
			wants(t, counter, Subject{Values: map[string]string{"/order_id": "new", "/ref": "new"}}, 0)
		})
	}
}

func TestSinkDistinct(t *testing.T) {
	counter, at := openSink(t, "/order_id", "X-Id")
	post := func(order, id string) {
		header := []string{"X-Id", id}
		send(t, "POST", at, "application/json", fmt.Sprintf(`{"order_id":%q}`, order), header...)
	}
	post("o-1", "a")
	post("o-1", "a")
	post("o-2", "a") // another operation's arrival is its own
	wants(t, counter, order, 1)
	post("o-1", "b")
	wants(t, counter, order, 2)
	post("o-1", "") // without the header nothing says that it came before
	post("o-1", "")
	wants(t, counter, order, 4)
}

func TestSinkWithoutFreshValues(t *testing.T) {
	counter, _ := openSink(t, "/order_id", "")
	refuses(t, counter, Subject{}, "no fresh value")
}

func TestSinkIsSharedByAddress(t *testing.T) {
	first, at := openSink(t, "/order_id", "")
	address := strings.TrimPrefix(at, "http://")
	set := NewSet(world(t, ""))
	if _, err := set.Open(sinkEffects(address, "/ref", "")); err == nil || !strings.Contains(err.Error(), "cannot listen on "+address) {
		t.Errorf("an address in use: %v", err)
	}
	set.sinks[address] = first.(*tally).sink
	second, err := set.Open(sinkEffects(address, "/ref", ""))
	if err != nil {
		t.Fatal(err)
	}
	send(t, "POST", at, "application/json", `{"order_id":"o-1"}`)
	send(t, "POST", at, "application/json", `{"order_id":"o-1","ref":17}`)
	wants(t, first, order, 2)
	wants(t, second, order, 1)
}

func TestSinkRefusesToOpen(t *testing.T) {
	for _, e := range []*contract.Effects{
		sinkEffects("127.0.0.1:notaport", "/a", ""), sinkEffects("127.0.0.1", "/a", ""), sinkEffects("127.0.0.1:99999", "/a", ""),
		sinkEffects("127.0.0.1:0", "a", ""),
	} {
		set := NewSet(world(t, ""))
		if _, err := set.Open(e); err == nil {
			t.Errorf("opened %+v", e.Sink)
		}
		set.Close()
	}
}

func TestSinkTooLargeToRead(t *testing.T) {
	counter, at := openSink(t, "/order_id", "")
	body := `{"pad":"` + strings.Repeat("x", maxArrival) + `","order_id":"o-1"}`
	resp, err := http.Post(at, "application/json", bytes.NewReader([]byte(body)))
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("answered %d", resp.StatusCode)
		}
	}
	refuses(t, counter, order, "larger than 8 MiB")
}

func TestSinkIsBounded(t *testing.T) {
	counter, _ := openSink(t, "/order_id", "X-Id")
	one := counter.(*tally)
	one.sink.mu.Lock()
	for i := range maxValues + 1 {
		one.take(&arrival{header: http.Header{"X-Id": {fmt.Sprint(i)}}, query: url.Values{"order_id": {"o-1"}}})
	}
	size := len(one.seen)
	one.sink.mu.Unlock()
	if size > maxValues {
		t.Errorf("%d values are kept", size)
	}
	refuses(t, counter, order, "more than")
}

func TestSinkCountsExactly(t *testing.T) {
	counter, at := openSink(t, "/order_id", "")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				resp, err := http.Post(at, "application/json", strings.NewReader(`{"order_id":"o-1"}`))
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			}
		})
	}
	all.Wait()
	wants(t, counter, order, 200)
}
