package contract

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// At gives the contract as it is for a service at another base URL than it
// names: one in the place of all. The empty one changes nothing. What may be
// sent to stays what allow_hosts says, and an instance of its own, under
// expiry, stays where it is. Resolve and WithSettings read the file again and
// know nothing of it. Errors say what is wrong with the URL, and name no place.
func (c *Contract) At(base string) (*Contract, error) {
	if base == "" {
		return c, nil
	}
	if err := checkBase(base); err != nil {
		return nil, err
	}
	other := *c
	other.Target.BaseURLs = []string{base}
	own := len(c.Target.BaseURLs) // which are read before those of expiry
	other.urls = append([]placed{{base, c.Target.Pos}}, c.urls[own:]...)
	return &other, nil
}

// checkBase holds a URL to what is asked of those in a file.
func checkBase(base string) error {
	if strings.Contains(base, "${") {
		return problem.New("", "a variable is filled in by contracts alone").WithHint(`"$NAME", which the shell fills in`)
	}
	text, err := json.Marshal(base)
	if err != nil {
		return err
	}
	n, err := document.Parse("", text)
	if err != nil {
		return err
	}
	r := &reader{}
	r.checkBaseURL(n, base)
	var p *problem.Error
	if errors.As(r.err, &p) {
		p.Where = ""
		p.Hint = strings.TrimSuffix(strings.TrimPrefix(p.Hint, "base_urls: ["), "]")
	}
	return r.err
}
