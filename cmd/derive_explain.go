package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
)

// explainText tells how an ID came about, from the recipe to the ID.
func explainText(out io.Writer, id listedID) {
	e := id.Explain
	row := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-10s %s\n", name, problem.Line(fmt.Sprintf(format, args...)))
	}
	row("recipe", "%s %s version %d (%s)", e.Namespace, e.Operation, e.Version, id.State)
	row("boundary", "%s", strings.Join(strings.Fields(e.Boundary), " "))
	for i, f := range e.Fields {
		label := ""
		if i == 0 {
			label = "selected"
		}
		row(label, "%s", explainField(f))
	}
	masked := ""
	if e.Masked {
		masked = "   (masked; the ID is of the true values)"
	}
	row("canonical", "%s%s", e.Canonical, masked)
	row("numbers", "%s", e.Numbers)
	row("key", "kid %s, from %s", e.Subkey.Kid, e.Subkey.Source)
	row("subkey", "%s of the secret, salt %q, info %s, %d bytes", e.Subkey.KDF, e.Subkey.Salt, e.Subkey.Info, e.Subkey.Length)
	row("tag", "HMAC-SHA-256 of the canonical identity under the subkey, 32 bytes")
	row("encode", "%s: %s", e.Encode, e.Encoding)
	row("id", "%s", id.ID)
}

func explainField(f determ.ExplainedField) string {
	s := fmt.Sprintf("%q from %s, %s", f.Name, f.From, f.Type)
	if f.Value != nil {
		s += " " + string(f.Value)
	}
	for i, t := range f.Transforms {
		if i == 0 {
			s += ", by"
		}
		s += " " + string(t)
	}
	return s
}
