package pack

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// CheckSecrets refuses a file that is to go into a pack and holds what looks
// like a secret: a pack is handed on. Errors name the place and never the
// value. name is the file's, for errors.
//
// A false alarm costs a made-up value, a miss gives a key away: what issuers say
// of their keys is looked for everywhere in the text, and values under names
// such as password in what reads as JSON or YAML.
func CheckSecrets(name string, content []byte) error {
	if err := eachLine(name, content, formIn); err != nil {
		return err
	}
	if root, err := document.Parse(name, content); err == nil { // what is no document has no names
		if err := checkNamed(root, ""); err != nil {
			return err
		}
	}
	return eachLine(name, content, givenIn) // comments, and what is no document
}

// eachLine refuses the first line of which find says that it holds a secret.
func eachLine(name string, content []byte, find func(line string) string) error {
	line := 0
	for text := range strings.Lines(string(content)) {
		line++
		if what := find(text); what != "" {
			return isSecret(fmt.Sprintf("%s:%d", name, line), what)
		}
	}
	return nil
}

func isSecret(where, what string) error {
	return problem.New(where, "looks like a secret (%s): a pack is handed on and holds none", what).
		WithHint("name where it comes from, such as auth: {header: Authorization, env: API_TOKEN}, or write a value that says example")
}

// secretForms are how secrets look, by what they are.
var secretForms = sync.OnceValue(func() []secretForm {
	return []secretForm{
		{"key material of idem", regexp.MustCompile(`idem(key|keyx|sub)1-[a-z0-9]`)},
		{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY|AGE-SECRET-KEY-1|PuTTY-User-Key-File`)},
		{"a password in an address", regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/\s:@"'\x60]*:(?P<value>[^/\s:@"'\x60]+)@`)},
		{"a password in an address", regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/\s:@"'\x60]*:(?P<value>[^\s"'\x60]+)@`)}, // with / : @ in it
		{"a password in an address", regexp.MustCompile(`[\w.-]+:(?P<value>[^\s:"'\x60]+)@(tcp|tcp6|unix)\(`)},           // of Go's MySQL
		{"a credential of a service", regexp.MustCompile(serviceKeys)},
		{"a signed token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	}
})

// port finds what is behind the colon of an address that has no password: a port,
// and what follows it.
var port = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,5}[/?#,]`) })

type secretForm struct {
	what string
	form *regexp.Regexp
}

// serviceKeys are credentials that their issuers gave a form of their own.
const serviceKeys = `\b((sk|rk|pk|rzp)_(live|test)_[A-Za-z0-9]{8,}|whsec_[A-Za-z0-9+/=]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|` +
	`github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}|(AKIA|ASIA)[A-Z0-9]{16}\b|` +
	`AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|npm_[A-Za-z0-9]{30,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|` +
	`shp(at|ca|pa|ss)_[A-Fa-f0-9]{16,}|sq0(atp|csp)-[A-Za-z0-9_-]{16,}|EAAA[A-Za-z0-9_-]{40,}|dop_v1_[a-f0-9]{32,}|hf_[A-Za-z0-9]{30,}|` +
	`hv[sbr]\.[A-Za-z0-9_-]{20,}|sk-(proj|ant)-[A-Za-z0-9_-]{16,})`

// secretIn says what kind of secret a text holds, empty where it holds none.
func secretIn(text string) string {
	if what := formIn(text); what != "" {
		return what
	}
	return givenIn(text)
}

// formIn says what kind of secret a line holds by how it looks.
func formIn(line string) string {
	for _, s := range secretForms() {
		value := max(0, s.form.SubexpIndex("value"))
		for _, found := range s.form.FindAllStringSubmatch(line, -1) {
			if !made(found[value]) && !(value > 0 && port().MatchString(found[value])) {
				return s.what
			}
		}
	}
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'{}[],", r) }) {
		if contract.ProductionCredential(word) && !made(word) {
			return "a credential of production"
		}
	}
	return ""
}

// secretNames are the names of members and headers whose values are secrets,
// without - and _.
var secretNames = []string{"password", "passwd", "passphrase", "secret", "clientsecret", "apikey", "xapikey", "accesstoken",
	"refreshtoken", "xauthtoken", "privatekey", "authorization", "proxyauthorization", "cookie", "pgpassword", "pin", "cvc", "cvv"}

// checkNamed refuses texts under names of secrets. Below member is the name
// that the node stands under.
func checkNamed(n *document.Node, member string) error {
	switch n.Kind {
	case document.String, document.Number:
		if what := secretIn(n.Text); what != "" {
			return isSecret(n.At(), what)
		}
		if least := secretLength(member); least > 0 && len(n.Text) >= least && literal(n.Text) && (least < 8 || unworded(n.Text)) {
			return isSecret(n.At(), "it stands under "+document.Show(member))
		}
		name := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(member))
		for _, secret := range secretNames {
			if name == secret || len(secret) > 5 && strings.HasSuffix(name, secret) {
				if n.Text != "" && !reference(n.Text) && !made(n.Text) {
					return isSecret(n.At(), "it stands under "+document.Show(member))
				}
			}
		}
	}
	if what := secretIn(commandLine(n)); what != "" {
		return isSecret(n.At(), what)
	}
	for _, m := range n.Members {
		if err := checkNamed(m.Value, m.Name); err != nil {
			return err
		}
	}
	for _, item := range n.Items {
		if err := checkNamed(item, member); err != nil {
			return err
		}
	}
	return nil
}

// commandLine is what an array of texts is as words, in case it is a command's.
func commandLine(n *document.Node) string {
	var words []string
	for _, item := range n.Items {
		if item.Kind == document.String {
			words = append(words, item.Text)
		}
	}
	return strings.Join(words, " ")
}

// reference says whether a text only says where a value is: a JSON Pointer, as
// recipes have them, or the name of a variable.
func reference(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}")
}

// made says whether a value says of itself that it is made up.
func made(s string) bool {
	low := strings.ToLower(s)
	for _, word := range []string{"example", "changeme", "change-me", "placeholder", "fictional", "dummy", "redacted", "made-up", "xxxx", "****"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return standsFor().MatchString(s)
}

// standsFor finds <what is to be put there> and ${A_VARIABLE}. A lone < or ${
// may be part of a password.
var standsFor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[A-Za-z][A-Za-z0-9 _-]*>|\$\{\w+\}`) })
