package contract

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/problem"
)

func TestHostAllowed(t *testing.T) {
	c := &Contract{Target: Target{AllowHosts: []string{"127.0.0.1", "API.example.test", "[::1]", "2001:db8::1", "db.test:8443", "[::2]:80"}}}
	for host, want := range map[string]bool{
		"127.0.0.1":              true,
		"127.0.0.1:8080":         true,
		"api.EXAMPLE.test":       true,
		"api.example.test:443":   true,
		"::1":                    true,
		"[::1]":                  true,
		"[0:0:0:0:0:0:0:1]:8080": true,
		"[2001:DB8:0::1]:1":      true,
		"db.test:8443":           true,
		"[::2]:80":               true,

		"db.test": true, // of which no port is asked
		"[::2]":   true,

		"db.test:443":           false,
		"[::2]:81":              false,
		"":                      false,
		":80":                   false,
		"127.0.0.2":             false,
		"127.1":                 false,
		"2130706433":            false,
		"0x7f000001":            false,
		"0177.0.0.1":            false,
		"::ffff:127.0.0.1":      false,
		"example.test":          false,
		"x.api.example.test":    false,
		"api.example.test.":     false,
		"api.example.test@a.b":  false,
		"api.example.test/a":    false,
		"api.example.test:0":    false,
		"api.example.test:1x":   false,
		"api.example.tes\u212a": false,
		"*":                     false,
		"[::1%25lo]":            false,
	} {
		if got := c.HostAllowed(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	none := &Contract{}
	if none.HostAllowed("127.0.0.1") {
		t.Error("without allow_hosts a host is allowed")
	}
}

func TestCheckHosts(t *testing.T) {
	c := good(t, "example.yaml")
	if err := c.CheckHosts(); err != nil {
		t.Error(err)
	}
	for _, e := range []struct{ old, new, want, hint string }{
		{"allow_hosts: [127.0.0.1] ", "#", "f.yaml:6:15: the host of this base URL is not in target.allow_hosts", "allow_hosts: [127.0.0.1], if a live run may send there"},
		{"allow_hosts: [127.0.0.1] ", "allow_hosts: ['127.0.0.1:8080'] ", "f.yaml:65:19: the host of this base URL is not in target.allow_hosts", "allow_hosts: [127.0.0.1], if a live run may send there"},
		{"base_urls: [http://127.0.0.1:8080]", "base_urls: [http://127.0.0.1:8080, 'https://api.test']", "f.yaml:6:38: the host of this base URL is not in target.allow_hosts", "allow_hosts: [api.test], if a live run may send there"},
	} {
		c, err := Parse("f.yaml", []byte(strings.Replace(string(c.Source), e.old, e.new, 1)), beside)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.CheckHosts(); err == nil || err.Error() != e.want || problem.Hint(err) != e.hint {
			t.Errorf("%s: %v (%s)", e.new, err, problem.Hint(err))
		}
	}
	// A port that no URL spells out is the scheme's.
	for _, allowed := range []string{"api.test:443", "api.test"} {
		src := "idem: contract/v1\nname: n\ntarget: {base_urls: ['https://api.test/v1'], allow_hosts: ['" + allowed + "']}\n" +
			"operations: [{name: a, request: {method: POST, path: /a}, key: {query: k, generate: uuid4}}]"
		c, err := Parse("f.yaml", []byte(src), nil)
		if err == nil {
			err = c.CheckHosts()
		}
		if err != nil {
			t.Errorf("%s: %v", allowed, err)
		}
	}
}

func TestProductionCredential(t *testing.T) {
	basic := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, value := range []string{
		"sk_live_4eC39", "rk_live_4eC39", "pk_live_4eC39", "Bearer sk_live_4eC39", "bearer  sk_live_x", " sk_live_x\n",
		"Basic " + basic("sk_live_4eC39:"), basic("sk_live_4eC39:"), "Basic " + basic("user:rk_live_x"),
		"live_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM", "rzp_live_1DP5mmOlF5G5ag", "sk_org_live_x", "pdl_live_apikey_01", "token=sk_live_x",
		"xnd_production_abc", "access-production-0000", "access_token$production$abc", "FLWSECK-abc-X", "Mid-server-abc",
		`{"key":"sk_live_x"}`,
	} {
		if !ProductionCredential(value) {
			t.Errorf("%q passes", value)
		}
	}
	for _, value := range []string{
		"", "x", "sk_test_4eC39", "rk_test_x", "Bearer sk_test_x", "Basic " + basic("sk_test_x:"), "sk_live", "sk_live_", "live_",
		"test_dHar4XY7", "access-sandbox-1", "xnd_development_x", "FLWSECK_TEST-abc", "SB-Mid-server-abc", "prod_ABC", "olive_oil",
		"alive_x", "delive_red_x", "SK_TEST_LIVE", "eyJhbGciOiJIUzI1NiJ9.e30.x", "a b c",
	} {
		if ProductionCredential(value) {
			t.Errorf("%q is refused", value)
		}
	}
}
