package cmd

import (
	"slices"
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
	f.StringVar(&o.path, "path", "", "with --request: path and, behind a ?, query, as sent")
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
	if o.path != "" && o.path[0] != '/' && o.path[0] != '?' {
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
		return problem.New("--reorder", "%q is neither semantic nor bytes", o.reorder).WithHint("--reorder semantic")
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
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimRight(line, "\r\n"); line == "" {
				continue
			}
			h, err := parseHeader(inputName(file), line)
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
	if !found || name == "" || strings.ContainsAny(name, " \t\"(),/;<=>?@[\\]{}") {
		return fingerprint.Header{}, problem.New(where, "a header is written 'Name: value'").WithHint("--header 'X-Version: 3'")
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return fingerprint.Header{}, problem.New(where, "the value of header %s has a line break", name)
	}
	return fingerprint.Header{Name: name, Value: value}, nil
}

// secretHeader says why a header must not stand in an argument.
func secretHeader(h fingerprint.Header) string {
	name := strings.ToLower(h.Name)
	switch {
	case slices.Contains([]string{"authorization", "proxy-authorization", "cookie", "set-cookie"}, name),
		strings.Contains(name, "api-key"), strings.Contains(name, "apikey"), strings.Contains(name, "secret"),
		strings.Contains(name, "password"), strings.HasSuffix(name, "token"):
		return "header " + h.Name + " carries a secret"
	}
	value := strings.ToLower(strings.TrimSpace(h.Value))
	for _, scheme := range []string{"bearer ", "basic ", "sk_live_", "rk_live_", "sk_test_", "idemkey", "idemsub"} {
		if strings.HasPrefix(value, scheme) {
			return "the value of header " + h.Name + " looks like a secret"
		}
	}
	return ""
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
