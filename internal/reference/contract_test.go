package reference

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestADuplicateGetsTheFirstAnswer(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		for _, path := range []string{"/v1/charges", "/v1/refunds"} {
			for _, shape := range []string{"full", "large", "minimal", "redirect", "declined"} {
				id := strings.ReplaceAll(path, "/", "") + shape
				body := fmt.Sprintf(`{"order_id":%q,"amount":5,"currency":"EUR","metadata":{"é\u0000":["<&>"]},"answer":%q}`, id, shape)
				effects, status := 1, map[string]int{"full": 201, "large": 201, "minimal": 204, "redirect": 303}[shape]
				if shape == "declined" {
					body = fmt.Sprintf(`{"order_id":%q,"amount":5,"currency":"EUR","payment_method":"declined"}`, id)
					effects, status = 0, 402
				}
				first := r.do("POST", path, body, "Idempotency-Key: "+shape)
				first.want(t, status, "")
				for range 3 {
					r.do("POST", path, body, "Idempotency-Key: "+shape).replayed(t, first)
				}
				r.wantEffects(id, effects)
				if effects == 0 {
					continue
				}
				if shown := r.do("GET", first.header.Get("Location"), ""); shown.status != 200 ||
					status == 201 && shown.body != first.body {
					t.Errorf("%s: shown as %d %s", shape, shown.status, shown.body)
				}
			}
		}
	})
}

func TestAnotherRequestUnderTheKeyIsRefusedAndHarmsNothing(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		for _, status := range []int{400, 409, 422} {
			r := newRig(t, s, newTestClock(), func(o *Options) { o.Conflict = status })
			key := fmt.Sprint("k", status)
			id := "o" + key
			first := r.charge(key, order(id)).want(t, 201, "")
			for _, changed := range []string{
				`{"order_id":"` + id + `","amount":2000,"currency":"EUR"}`,
				`{"order_id":"` + id + `","amount":1999,"currency":"EUR","note":null}`,
				`{"order_id":"` + id + `","amount":1999,"currency":"EUR","metadata":[1,2]}`,
				`{"order_id":"` + id + `","amount":1999,"currency":"EUR","metadata":[2,1]}`,
				order(id + "x"),
			} {
				r.charge(key, changed).want(t, status, "key-conflict")
				r.charge(key, order(id)).replayed(t, first)
			}
			r.wantEffects(id, 1)
			r.wantEffects(id+"x", 0)
		}
	})
}

func TestTheFingerprintCoversMeaningNotSpelling(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		first := r.charge("k", `{"order_id":"o","amount":1999,"currency":"EUR","metadata":{"a":[1,"é"],"b":{}}}`).want(t, 201, "")
		for _, same := range []string{
			` { "currency":"EUR", "metadata":{"b":{},"a":[1.0,"é"]},"amount":1999 ,"order_id":"o" } `,
			`{"order_id":"\u006f","amount":19.99e2,"currency":"EUR","metadata":{"a":[1,"\u00e9"],"b":{}}}`,
		} {
			r.charge("k", same).replayed(t, first)
		}
		r.charge("k", `{"order_id":"o","amount":1999,"currency":"EUR","metadata":{"a":["é",1],"b":{}}}`).want(t, 422, "key-conflict")
		// A form is compared by its bytes.
		form := []string{"Content-Type: application/x-www-form-urlencoded", "Idempotency-Key: f"}
		first = r.do("POST", "/v1/charges", "order_id=o2&amount=5&currency=EUR&metadata[a]=b", form...).want(t, 201, "")
		r.do("POST", "/v1/charges", "order_id=o2&amount=5&currency=EUR&metadata[a]=b", form...).replayed(t, first)
		r.do("POST", "/v1/charges", "amount=5&order_id=o2&currency=EUR&metadata[a]=b", form...).want(t, 422, "key-conflict")
		r.wantEffects("o", 1)
		r.wantEffects("o2", 1)
	})
}

func TestAKeyIsUniqueWithinCallerMethodPathAndQuery(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		r := newRig(t, open(), newTestClock(), nil)
		seen := map[string]string{}
		for i, request := range [][]string{
			{"/v1/charges"},
			{"/v1/charges", "Authorization: Bearer alice"},
			{"/v1/charges", "Authorization: Bearer payer"},
			{"/v1/refunds"},
			{"/v1/charges?a=1"},
			{"/v1/charges?a=\xff"},
		} {
			got := r.do("POST", request[0], order("o"), append(request[1:], "Idempotency-Key: same")...).want(t, 201, "")
			if earlier, taken := seen[got.body]; taken {
				t.Errorf("%v was answered with the result of %s", request, earlier)
			}
			seen[got.body] = request[0]
			r.wantEffects("o", i+1)
		}
		// The scheme's name has no case, and a token's white space is not its own.
		r.do("POST", "/v1/charges", order("o"), "Authorization: bearer  alice", "Idempotency-Key: same").want(t, 201, "")
		r.wantEffects("o", 6)
		// What a caller made is that caller's to see.
		mine := r.do("GET", "/v1/charges?order_id=o", "", "Authorization: Bearer alice")
		var page struct{ Data []struct{ ID string } }
		if err := json.Unmarshal([]byte(mine.body), &page); err != nil || len(page.Data) != 1 {
			t.Fatalf("alice sees %s", mine.body)
		}
		r.do("GET", "/v1/charges/"+page.Data[0].ID, "", "Authorization: Bearer payer").want(t, 404, "not-found")
		r.do("GET", "/v1/refunds/"+page.Data[0].ID, "", "Authorization: Bearer alice").want(t, 404, "not-found")
	})
}

func TestWhatFailedIsStoredOrReleasedByItsStatus(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		r := newRig(t, s, newTestClock(), func(o *Options) { o.Admin = true })
		for _, mode := range []string{"once", "panic"} {
			r.charge(mode, order(mode), "X-Test-Fail: "+mode).want(t, 500, "handler-failed")
			r.wantEffects(mode, 0)
			first := r.charge(mode, order(mode), "X-Test-Fail: "+mode).want(t, 201, "")
			r.charge(mode, order(mode), "X-Test-Fail: "+mode).replayed(t, first)
			r.wantEffects(mode, 1)
		}
		for range 2 {
			r.charge("always", order("always"), "X-Test-Fail: always").want(t, 500, "handler-failed")
		}
		// What is refused before the claim is stored nowhere.
		r.charge("v", `{"order_id":"v","amount":0,"currency":"EUR"}`).want(t, 422, "body-invalid")
		r.charge("v", order("v")).want(t, 201, "")
		declined := `{"order_id":"d","amount":5,"currency":"EUR","payment_method":"declined"}`
		first := r.charge("d", declined).want(t, 402, "declined")
		r.charge("d", declined).replayed(t, first)
		r.charge("d", order("d")).want(t, 422, "key-conflict")
		// Without --admin the header is one that nobody knows.
		plain := newRig(t, s, newTestClock(), nil)
		plain.charge("p", order("p"), "X-Test-Fail: once").want(t, 201, "")
		plain.do("POST", "/admin/advance?seconds=1", "").want(t, 404, "not-found")
	})
}

func TestKeylessRequestsAreRefusedOrRunEachTime(t *testing.T) {
	eachStore(t, func(t *testing.T, open func() Store) {
		s := open()
		r := newRig(t, s, newTestClock(), nil)
		r.do("POST", "/v1/charges", order("o")).want(t, 400, "key-missing")
		r = newRig(t, s, newTestClock(), func(o *Options) { o.Keyless = "execute" })
		race(10, func(int) { r.do("POST", "/v1/charges", order("o")).want(t, 201, "") })
		r.wantEffects("o", 10)
		if n := records(t, s); n != 0 {
			t.Errorf("%d records of requests without a key", n)
		}
	})
}
