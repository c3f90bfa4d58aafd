package cmd

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// readInputs reads NAME=VALUE, NAME=JSON and NAME=FILE. A file keeps a value
// out of the arguments, which every process sees.
func readInputs(app *App, o *deriveOptions) (determ.Inputs, error) {
	inputs := determ.Inputs{}
	add := func(flag, arg string, read func(string) (*fingerprint.Value, error)) error {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return problem.New(flag, "an input is given as NAME=VALUE").WithHint("%s tenant=acme", flag)
		}
		where := flag + " " + document.Show(name)
		if inputs[name] != nil {
			return problem.New(where, "this input is given twice").WithHint("keep one of them")
		}
		v, err := read(value)
		if err != nil {
			hint := problem.Hint(err)
			if hint == "" && flag == "--input-json" {
				hint = "--input NAME=VALUE for a text as it stands"
			}
			return problem.New(where, "%s", err).WithHint("%s", hint)
		}
		inputs[name] = v
		return nil
	}
	for _, arg := range o.inputs {
		if err := add("--input", arg, textInput); err != nil {
			return nil, err
		}
	}
	for _, arg := range o.jsonInputs {
		if err := add("--input-json", arg, jsonInput); err != nil {
			return nil, err
		}
	}
	fromFile := func(file string) (*fingerprint.Value, error) {
		text, err := readInput(app, file, maxInputFile)
		if err != nil {
			return nil, err
		}
		return textInput(strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"))
	}
	for _, arg := range o.fileInputs {
		if err := add("--input-file", arg, fromFile); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

const maxInputFile = 1 << 20 // bytes

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

// reads gives the files that are read, but for those of inputs and keys.
func (o *deriveOptions) reads() []string {
	if o.stream.on {
		return []string{o.recipe}
	}
	return []string{o.recipe, o.file}
}
