package contract

import (
	"encoding/base64"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// What a live run asks before it sends anything (contract-v1, Dry run and live
// run).

// host is a host name in lower case or an address in its usual spelling, with
// the port where one was given.
type host struct{ name, port string }

// parseHost reads "name", "name:port", "127.0.0.1", "::1", "[::1]:8080". bad
// says what is wrong, empty where nothing is.
func parseHost(s string) (h host, bad string) {
	name, port := s, ""
	if strings.HasPrefix(s, "[") {
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return host{}, "a [ without ]"
		}
		name, port = s[1:end], s[end+1:]
		if !strings.Contains(name, ":") {
			return host{}, "brackets are for IPv6 addresses"
		}
		if port != "" && port[0] != ':' {
			return host{}, "something other than a port after ]"
		}
		port = strings.TrimPrefix(port, ":")
	} else if strings.Count(s, ":") == 1 {
		name, port, _ = strings.Cut(s, ":")
	}
	if port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 || strconv.Itoa(n) != port {
			return host{}, "the port must be from 1 to 65535"
		}
	}
	if a, err := netip.ParseAddr(name); err == nil {
		if a.Zone() != "" {
			return host{}, "an address with a zone"
		}
		return host{a.String(), port}, ""
	}
	return host{strings.ToLower(name), port}, badName(strings.ToLower(name))
}

// badName says what is wrong with a host name. A last label of digits makes
// resolvers read the whole as an address, in spellings that nobody compares.
func badName(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > 253:
		return "it is longer than 253 characters"
	case strings.Contains(name, "*"):
		return "there are no wildcards; name every host"
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "names are of ASCII letters, digits, - and _, with single dots between"
		}
	}
	last := labels[len(labels)-1]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "write an IPv4 address as four decimal numbers"
	}
	return ""
}

// HostAllowed says whether a live run may send to a host: exact names without
// regard to case, addresses whatever their spelling, no wildcards. Ports are
// compared where both the host and the entry of allow_hosts have one;
// CheckHosts asks with the ports of the base URLs.
func (c *Contract) HostAllowed(name string) bool {
	h, bad := parseHost(name)
	if bad != "" {
		return false
	}
	for _, entry := range c.Target.AllowHosts {
		allowed, bad := parseHost(entry)
		if bad == "" && allowed.name == h.name && (allowed.port == "" || h.port == "" || allowed.port == h.port) {
			return true
		}
	}
	return false
}

// CheckHosts gives an error for the first base URL, those of expiry included,
// whose host is not in allow_hosts. It is for a resolved contract.
func (c *Contract) CheckHosts() error {
	for _, p := range c.urls {
		u, err := url.Parse(p.text)
		if err != nil {
			return problem.New(at(c.File, p.pos), "a base URL that cannot be read")
		}
		if !c.HostAllowed(hostPort(u)) {
			return problem.New(at(c.File, p.pos), "the host of this base URL is not in target.allow_hosts").
				WithHint("allow_hosts: [%s], if a live run may send there", u.Hostname())
		}
	}
	return nil
}

// hostPort gives the host of a URL with its port, the scheme's where none stands.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	if u.Scheme == "https" {
		return u.Host + ":443"
	}
	return u.Host + ":80"
}

// How credentials of production look, where their issuers say so. A false
// alarm costs a flag, a miss moves money; what also names test credentials or
// other things (sk_ alone, prod_) is not here.
var productionPrefixes = [...]string{
	"access-production-",       // Plaid
	"access_token$production$", // Braintree
	"xnd_production_",          // Xendit
	"xnd_public_production_",   // Xendit
	"FLWSECK-", "FLWPUBK-",     // Flutterwave; test keys have _TEST before the hyphen
	"Mid-server-", "Mid-client-", // Midtrans; sandbox keys begin with SB-
}

// ProductionCredential says whether a credential looks like production's:
// sk_live_, rk_live_, pk_live_, rzp_live_, live_ and their like. It also looks
// behind a scheme ("Bearer ...") and into Basic credentials (RFC 7617).
func ProductionCredential(value string) bool {
	value = strings.TrimSpace(value)
	if scheme, rest, ok := strings.Cut(value, " "); ok {
		rest = strings.TrimSpace(rest)
		if strings.EqualFold(scheme, "Basic") {
			if raw, err := base64.StdEncoding.DecodeString(rest); err == nil {
				return productionWords(string(raw))
			}
		}
	}
	if raw, err := base64.StdEncoding.DecodeString(value); err == nil && productionWords(string(raw)) {
		return true
	}
	return productionWords(value)
}

func productionWords(value string) bool {
	for _, word := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(" \t\r\n:,;=\"'", c) }) {
		for _, p := range productionPrefixes {
			if strings.HasPrefix(word, p) {
				return true
			}
		}
		if liveWord(word) {
			return true
		}
	}
	return false
}

// liveWord knows words that begin with live_, or have up to three short
// lower-case words before it: sk_live_, pdl_live_, sk_org_live_.
func liveWord(word string) bool {
	for range 4 {
		head, rest, ok := strings.Cut(word, "_")
		if !ok || rest == "" || head == "" || len(head) > 16 || strings.Trim(head, "abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
		if head == "live" {
			return true
		}
		word = rest
	}
	return false
}
