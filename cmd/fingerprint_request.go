package cmd

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// requestOptions describe a request whose body is the command's file.
type requestOptions struct {
	on      bool
	method  string
	path    string
	headers []string // "Name: value", or @file with a line for each
	include []string
	ignore  []string
	reorder string
	key     string // where the idempotency key travels: header:NAME, query:NAME or body:POINTER
}

func (o *requestOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "request", false, "fingerprint a request; FILE is its body, and without FILE it has none")
	f.StringVar(&o.method, "method", "POST", "with --request: the method")
	f.StringVar(&o.path, "path", "", "with --request: path and, behind a ?, query, as sent, or @FILE with them")
	allowEmpty(f, "path") // it is /, as in a request line (determ-v1, Fingerprints v1)
	f.StringArrayVar(&o.headers, "header", nil, "with --request: a header as sent, 'Name: value', or @FILE with one a line")
	f.StringArrayVar(&o.include, "include-header", nil, "with --request: a header that counts")
	f.StringArrayVar(&o.ignore, "ignore", nil, "with --request or --diff: JSON pointer of what does not count")
	f.StringVar(&o.reorder, "reorder", "semantic", "with --request: semantic compares JSON bodies, bytes compares bytes")
	f.StringVar(&o.key, "idempotency-key", "header:Idempotency-Key",
		"with --request: where the key travels, which never counts: header:NAME, query:NAME or body:POINTER")
}

// onlyWithRequest names the flags that mean nothing without --request.
var onlyWithRequest = []string{"method", "path", "header", "include-header", "reorder", "idempotency-key"}

// request gives the request less its body, and the rules.
func (o *requestOptions) request(app *App) (fingerprint.Request, fingerprint.Rules, error) {
	req := fingerprint.Request{Method: o.method, Target: o.path}
	rules := fingerprint.Rules{Headers: o.include}
	if err := o.readPath(app); err != nil {
		return req, rules, err
	}
	req.Target = o.path
	if o.path != "" && o.path != "*" && o.path[0] != '/' && o.path[0] != '?' {
		return req, rules, problem.New("--path", "a path starts with /; scheme and host are no part of a fingerprint").
			WithHint("--path '/v1/charges?expand=1'")
	}
	if strings.Contains(o.path, "#") {
		return req, rules, problem.New("--path", "what stands behind a # is never sent").WithHint("leave it out, or write %%23 for a # that is sent")
	}
	err := o.readRules(&rules)
	if err == nil {
		req.Headers, err = o.readHeaders(app)
	}
	if err == nil {
		req.MediaType, err = mediaType(req.Headers)
	}
	return req, rules, err
}

// readPath takes the path from a file for @FILE, and refuses a secret in an
// argument.
func (o *requestOptions) readPath(app *App) error {
	if file, isFile := strings.CutPrefix(o.path, "@"); isFile {
		text, err := readInput(app, file, maxHeaderFile)
		if err != nil {
			return err
		}
		o.path = strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
		return nil
	}
	_, query, _ := strings.Cut(o.path, "?")
	for piece := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(piece, "=")
		if isSecretName(name) || isSecretValue(value) {
			return problem.New("--path", "its query looks like it carries a secret: arguments are seen by every process and kept in histories").
				WithHint("--path @FILE, with path and query in FILE")
		}
	}
	return nil
}

// inRequest puts an error where its cause was given: in a flag, or in the file
// with the body.
func inRequest(file string, err error) error {
	var p *problem.Error
	if !errors.As(err, &p) {
		return err
	}
	part, name, _ := strings.Cut(p.Where, " ")
	flag := map[string]string{"method": "--method", "path": "--path", "query": "--path", "header": "--header", "": "--include-header"}[part]
	switch {
	case part == "body" || flag == "" || strings.HasPrefix(part, "/") || strings.Contains(p.What, "pointer"):
		if file == "" {
			return err
		}
		return inFile(file, err)
	case part == "path" || part == "query":
		name = strings.TrimSpace(part + " " + name)
	}
	return &problem.Error{Where: strings.TrimSpace(flag + " " + name), What: p.What, Hint: problem.Hint(err), Err: err}
}

func (o *requestOptions) readRules(rules *fingerprint.Rules) (err error) {
	if rules.Ignore, err = parsePointers("--ignore", o.ignore); err != nil {
		return err
	}
	switch o.reorder {
	case "semantic":
	case "bytes":
		if len(o.ignore) > 0 {
			return problem.New("--ignore", "nothing can be left out of a body that counts byte for byte").WithHint("--reorder semantic")
		}
		rules.Bytes = true
	default:
		return noneOf("--reorder", o.reorder, "semantic", "semantic", "bytes")
	}
	kind, name, _ := strings.Cut(o.key, ":")
	switch {
	case kind == "header" && name != "":
		rules.Key.Header = name
	case kind == "query" && name != "":
		rules.Key.Query = name
	case kind == "body" && name != "":
		rules.Key.Body, err = parsePointer("--idempotency-key", name)
	default:
		err = problem.New("--idempotency-key", "it is header:NAME, query:NAME or body:POINTER").
			WithHint("--idempotency-key body:/client_token")
	}
	return err
}

func parsePointers(flag string, texts []string) ([]fingerprint.Pointer, error) {
	var all []fingerprint.Pointer
	for _, text := range texts {
		p, err := parsePointer(flag, text)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func parsePointer(flag, text string) (fingerprint.Pointer, error) {
	p, err := fingerprint.ParsePointer(text)
	if err != nil {
		return nil, &problem.Error{Where: flag, What: err.Error(), Hint: problem.Hint(err), Err: err}
	}
	return p, nil
}

// readHeaders takes the headers in the order of the flags.
func (o *requestOptions) readHeaders(app *App) ([]fingerprint.Header, error) {
	var headers []fingerprint.Header
	for _, flag := range o.headers {
		file, isFile := strings.CutPrefix(flag, "@")
		if !isFile {
			h, err := parseHeader("--header", flag)
			if err != nil {
				return nil, err
			}
			if why := secretHeader(h); why != "" {
				return nil, problem.New("--header", "%s: arguments are seen by every process and kept in histories", why).
					WithHint("--header @FILE, with the line in FILE")
			}
			headers = append(headers, h)
			continue
		}
		text, err := readInput(app, file, maxHeaderFile)
		if err != nil {
			return nil, err
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if line = strings.TrimRight(line, "\r\n"); line == "" {
				continue
			}
			h, err := parseHeader(inputName(file)+":"+strconv.Itoa(number), line)
			if err != nil {
				return nil, err
			}
			headers = append(headers, h)
		}
	}
	return headers, nil
}

const maxHeaderFile = 1 << 20

// parseHeader parts name and value. Errors show neither: a line that is no
// header may be a secret.
func parseHeader(where, line string) (fingerprint.Header, error) {
	name, value, found := strings.Cut(line, ":")
	if !found || !fingerprint.IsToken(name) {
		return fingerprint.Header{}, problem.New(where, "a header is written 'Name: value'").WithHint("--header 'X-Version: 3'")
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7F }) {
		return fingerprint.Header{}, problem.New(where, "the value of header %s has a line break or another control character", name)
	}
	return fingerprint.Header{Name: name, Value: value}, nil
}

// secretHeader says why a header must not stand in an argument.
func secretHeader(h fingerprint.Header) string {
	switch {
	case isSecretName(h.Name):
		return "header " + h.Name + " carries a secret"
	case isSecretValue(strings.TrimSpace(h.Value)):
		return "the value of header " + h.Name + " looks like a secret"
	}
	return ""
}

// isSecretName knows headers and parameters that let somebody in.
func isSecretName(name string) bool {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '[' || r == ']' })
	for _, word := range words {
		switch word {
		case "auth", "authorization", "authentication", "cookie", "token", "accesstoken", "secret", "signature", "sig", "password", "passwd", "credential", "apikey":
			return true
		}
	}
	for _, part := range []string{"api-key", "api_key", "apikey", "secret", "password", "private-key", "access-key", "access_key"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasSuffix(name, "token")
}

// isSecretValue knows the heads of the secrets that services hand out.
func isSecretValue(value string) bool {
	for _, head := range []string{"eyJ", "AKIA", "ASIA", "AIza"} { // JSON web tokens, AWS, Google
		if strings.HasPrefix(value, head) {
			return true
		}
	}
	value = strings.ToLower(value)
	for _, head := range []string{
		"bearer ", "basic ", "digest ", "token ", "sk_", "rk_", "sk-", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-",
		"xoxb-", "xoxp-", "xoxa-", "npm_", "shpat_", "sg.", "idemkey", "idemsub",
	} {
		if strings.HasPrefix(value, head) {
			return true
		}
	}
	return false
}

// mediaType is that of the Content-Type header, application/json without one.
func mediaType(headers []fingerprint.Header) (string, error) {
	kind, found := "application/json", false
	for _, h := range headers {
		if !strings.EqualFold(h.Name, "Content-Type") {
			continue
		}
		if found {
			return "", problem.New("--header", "Content-Type is given twice").WithHint("keep one of them")
		}
		kind, found = h.Value, true
	}
	return kind, nil
}
