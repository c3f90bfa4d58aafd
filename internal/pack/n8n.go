package pack

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
)

// The text of the workflow's Code nodes. What is under identity is one program,
// its files one behind the other by name; n8n lets no node take in another file.
//
//go:embed n8n/identity/*.js n8n/parts.js
var scripts embed.FS

// n8nValues are what the n8n workflow derives and sends with, as data: JSON in
// the workflow's nodes, never a part of a program.
type n8nValues struct {
	recipe    n8nRecipe
	contract  n8nContract
	variable  string // the environment variable that holds the key
	timeoutMS int64
}

// n8nRecipe is a recipe/v1 in its long form, less what makes no ID.
type n8nRecipe struct {
	Idem      string              `json:"idem"`
	Namespace string              `json:"namespace"`
	Operation string              `json:"operation"`
	Version   int                 `json:"version"`
	Prefix    string              `json:"prefix"`
	Boundary  string              `json:"boundary"`
	Identity  map[string]n8nEntry `json:"identity"`
	Encode    string              `json:"encode"`
	Numbers   string              `json:"numbers"`
	Sensitive []string            `json:"sensitive,omitempty"`
	Key       map[string]string   `json:"key"`
	Limits    map[string]any      `json:"limits,omitempty"`
}

type n8nEntry struct {
	Pointer    *string  `json:"pointer,omitempty"`
	Input      string   `json:"input,omitempty"`
	Type       string   `json:"type,omitempty"`
	WhenNull   string   `json:"when_null"`
	WhenAbsent string   `json:"when_absent"`
	Transform  []string `json:"transform,omitempty"`
}

// n8nContract is what is sent, where to, and what its fingerprint covers.
type n8nContract struct {
	Operation   string            `json:"operation"`
	Method      string            `json:"method"`
	BaseURL     string            `json:"base_url"`
	Path        string            `json:"path"`
	Headers     [][2]string       `json:"headers"`
	Body        string            `json:"body"` // text: the payload as it is; form: its members as a form; none
	Key         map[string]string `json:"key"`
	Companion   map[string]string `json:"companion,omitempty"`
	Fingerprint n8nFingerprint    `json:"fingerprint"`
	AllowHosts  []string          `json:"allow_hosts"`
	SixParts    []n8nPart         `json:"six_parts"`
}

type n8nFingerprint struct {
	Headers []string `json:"headers"`
	Ignore  []string `json:"ignore"`
	Reorder string   `json:"reorder"`
}

// n8nPart is one of the six parts, of one operation, as the dry run has it.
type n8nPart struct {
	Part    string          `json:"part"`
	Section string          `json:"section"`
	Facts   json.RawMessage `json:"facts"`
}

func n8nValuesOf(c *contract.Contract, o *contract.Operation, r *determ.Recipe) *n8nValues {
	v := &n8nValues{variable: r.Key.Source.Env, timeoutMS: c.Target.Timeout.Milliseconds()}
	if v.variable == "" {
		v.variable = "IDEM_KEY"
	}
	v.recipe = n8nRecipeOf(r, v.variable)
	v.contract = n8nContract{Operation: o.Name, Method: o.Request.Method, Path: o.Request.Path, Body: "text",
		Headers: append([][2]string{}, o.Request.Headers...), AllowHosts: append([]string{}, c.Target.AllowHosts...),
		Fingerprint: n8nFingerprint{Headers: append([]string{}, o.Fingerprint.Headers...),
			Ignore: append([]string{}, o.Fingerprint.Ignore...), Reorder: "semantic"}}
	if o.Promise.Reorder.Value == "bytes" {
		v.contract.Fingerprint.Reorder = "bytes"
	}
	if len(c.Target.BaseURLs) > 0 {
		v.contract.BaseURL = c.Target.BaseURLs[0]
	}
	switch o.Request.Body.Kind {
	case contract.FormBody:
		v.contract.Body = "form"
	case contract.NoBody:
		v.contract.Body = "none"
	}
	v.contract.Key = map[string]string{}
	for name, value := range map[string]string{"header": o.Key.Header, "body": o.Key.Body, "query": o.Key.Query, "syntax": o.Key.Syntax} {
		if value != "" {
			v.contract.Key[name] = value
		}
	}
	if p := o.Key.Companion; p != nil {
		v.contract.Companion = map[string]string{"header": p.Header, "as": p.As}
	}
	return v
}

func n8nRecipeOf(r *determ.Recipe, variable string) n8nRecipe {
	out := n8nRecipe{Idem: "recipe/v1", Namespace: r.Namespace, Operation: r.Operation, Version: r.Version, Prefix: r.Prefix,
		Boundary: r.Boundary, Identity: map[string]n8nEntry{}, Encode: string(r.Encode), Numbers: r.Numbers.String(),
		Key: map[string]string{"kid": r.Key.Kid, "env": variable, "format": string(r.Key.Format)}}
	if r.Key.Format == determ.FormatRaw {
		out.Key["format"] = string(determ.FormatIdemkey) // raw bytes travel in no variable
	}
	if r.Key.Check != "" {
		out.Key["check"] = r.Key.Check
	}
	for i := range r.Identity {
		e := &r.Identity[i]
		entry := n8nEntry{Input: e.Input, Type: e.Type, WhenNull: "refuse", WhenAbsent: "refuse"}
		if e.Input == "" {
			pointer := e.Pointer.String()
			entry.Pointer = &pointer
		}
		if e.AllowNull {
			entry.WhenNull = "allow"
		}
		if e.OmitAbsent {
			entry.WhenAbsent = "omit"
		}
		for _, t := range e.Transforms {
			entry.Transform = append(entry.Transform, string(t))
		}
		out.Identity[e.Name] = entry
	}
	for _, p := range r.Sensitive {
		out.Sensitive = append(out.Sensitive, p.String())
	}
	out.Limits = n8nLimits(r.Limits)
	return out
}

func n8nLimits(l determ.Limits) map[string]any {
	if l.Preset != "" {
		return map[string]any{"preset": l.Preset}
	}
	out := map[string]any{}
	if l.MaxLength > 0 {
		out["max_length"] = l.MaxLength
	}
	if l.MinLength > 0 {
		out["min_length"] = l.MinLength
	}
	if l.Alphabet != "" {
		out["alphabet"] = l.Alphabet
	}
	return out
}

// sixParts takes an operation's six parts out of the result of a dry run.
func sixParts(expected []byte, operation string) ([]n8nPart, error) {
	out := []n8nPart{}
	if expected == nil {
		return out, nil
	}
	var dry struct {
		Parts []struct {
			n8nPart
			Operations []struct {
				Operation string          `json:"operation"`
				Facts     json.RawMessage `json:"facts"`
			} `json:"operations"`
		} `json:"parts"`
	}
	if err := json.Unmarshal(expected, &dry); err != nil {
		return nil, fmt.Errorf("the dry run's result: %w", err)
	}
	for _, p := range dry.Parts {
		for _, o := range p.Operations {
			if o.Operation == operation {
				out = append(out, n8nPart{Part: p.Part, Section: p.Section, Facts: o.Facts})
			}
		}
	}
	return out, nil
}

// identityScript is the text of the Code node that derives.
func identityScript() (string, error) {
	files, err := scripts.ReadDir("n8n/identity")
	if err != nil {
		return "", err
	}
	var parts []string
	for _, f := range files { // sorted by name
		text, err := scripts.ReadFile("n8n/identity/" + f.Name())
		if err != nil {
			return "", err
		}
		parts = append(parts, strings.TrimSpace(string(text)))
	}
	return strings.Join(parts, "\n\n") + "\n", nil
}

// indented writes JSON as people read it, and as n8n exports it.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// uuidOf is a UUID of version 8 (RFC 9562, 5.8) that is the same for the same
// words.
func uuidOf(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}
