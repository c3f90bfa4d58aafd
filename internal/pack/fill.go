package pack

import (
	"bytes"
	"strings"
	"text/template"
)

// content gives an embedded file as it is written.
func (v Values) content(source string) ([]byte, error) {
	raw, err := embedded.ReadFile("files/" + source)
	if err != nil || !strings.HasSuffix(source, ".tmpl") {
		return raw, err
	}
	return v.fill(source, string(raw))
}

// fill fills one template; name is for its errors.
func (v Values) fill(name, text string) ([]byte, error) {
	t, err := parsed(name, text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// parsed reads a template, which may call a quoting function for each language.
func parsed(name, text string) (*template.Template, error) {
	return template.New(name).Delims("[[", "]]").Option("missingkey=error").Funcs(quoting()).Parse(text)
}
