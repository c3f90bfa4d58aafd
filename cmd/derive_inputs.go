package cmd

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// readInputs reads NAME=VALUE and NAME=JSON.
func readInputs(texts, jsons []string) (determ.Inputs, error) {
	inputs := determ.Inputs{}
	add := func(flag, arg string, read func(string) (*fingerprint.Value, error)) error {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return problem.New(flag, "an input is given as NAME=VALUE").WithHint("%s tenant=acme", flag)
		}
		where := flag + " " + document.Show(name)
		if inputs[name] != nil {
			return problem.New(where, "this input is given twice")
		}
		v, err := read(value)
		if err != nil {
			return problem.New(where, "%s", err).WithHint("%s", problem.Hint(err))
		}
		inputs[name] = v
		return nil
	}
	for _, arg := range texts {
		if err := add("--input", arg, textInput); err != nil {
			return nil, err
		}
	}
	for _, arg := range jsons {
		if err := add("--input-json", arg, jsonInput); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

func textInput(s string) (*fingerprint.Value, error) {
	if strings.ToValidUTF8(s, "") != s {
		return nil, problem.New("", "the value is not UTF-8")
	}
	return fingerprint.String(s), nil
}

// jsonInput masks the value in its errors: nothing says that it may be shown.
func jsonInput(s string) (*fingerprint.Value, error) {
	v, err := fingerprint.Parse([]byte(s))
	if err != nil {
		return nil, fingerprint.Mask(err, []fingerprint.Pointer{{}})
	}
	return v, nil
}
