package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
)

// TestN8NAssignedTable: the workflow takes for nfc/v1 what idem takes. The table
// is of numbers to base 36: how many code points to the next range, and how many
// in it, in turn.
func TestN8NAssignedTable(t *testing.T) {
	var numbers []string
	end := rune(0) // of the range before
	for r := rune(0); r <= 0x10ffff; r++ {
		if !assignedByIdem(r) {
			continue
		}
		first := r
		for r <= 0x10ffff && assignedByIdem(r) {
			r++
		}
		numbers = append(numbers, strconv.FormatInt(int64(first-end), 36), strconv.FormatInt(int64(r-first), 36))
		end = r
	}
	var b bytes.Buffer
	b.WriteString("// The code points that Unicode 15.0.0 assigns, surrogates left out, as numbers to\n" +
		"// base 36: how many to the next range, and how many in it, in turn.\n" +
		"const assigned15 = [\n")
	line := ""
	for _, n := range numbers {
		if len(line)+len(n) > 130 {
			fmt.Fprintf(&b, "  '%s',\n", strings.TrimSpace(line))
			line = ""
		}
		line += n + " "
	}
	fmt.Fprintf(&b, "  '%s',\n", strings.TrimSpace(line))
	b.WriteString("].join(' ').split(' ').map((n) => parseInt(n, 36));\n\n" +
		"function isAssigned15(point) {\n" +
		"  let at = 0;\n" +
		"  for (let i = 0; i < assigned15.length; i += 2) {\n" +
		"    at += assigned15[i];\n" +
		"    if (point < at) return false;\n" +
		"    at += assigned15[i + 1];\n" +
		"    if (point < at) return true;\n" +
		"  }\n" +
		"  return false;\n" +
		"}\n")
	const file = "n8n/identity/60-unicode15.js"
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is not the table that idem has; -update writes it", file)
	}
}

// assignedByIdem asks idem's own transform. A surrogate is no character of any
// text.
func assignedByIdem(r rune) bool {
	if r >= 0xd800 && r <= 0xdfff {
		return false
	}
	_, err := determ.NFC.Apply(string(r))
	return err == nil
}

// n8nSample is the sample's workflow, and what it was made of.
func n8nSample(t *testing.T, change func(*n8nValues)) (n8nWorkflow, []byte) {
	t.Helper()
	c, r, payload := Sample()
	spec, err := contract.Parse(ContractName, c, func(string) ([]byte, error) { return payload, nil })
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := determ.Parse(RecipeName, r)
	if err != nil {
		t.Fatal(err)
	}
	values := ValuesOf(spec, spec.Operations[0], recipe, "0.1.0-dev")
	if change != nil {
		change(values.n8n)
	}
	f, err := workflow(Filling{Contract: c, Recipe: r, Payload: payload, Values: values})
	if err != nil {
		t.Fatal(err)
	}
	var w n8nWorkflow
	if err := json.Unmarshal(f.Content, &w); err != nil {
		t.Fatal(err)
	}
	return w, f.Content
}

// TestN8NCodeIsItsSources: the Code nodes hold the files under n8n, whole and in
// order, and nothing that a filling says.
func TestN8NCodeIsItsSources(t *testing.T) {
	w, text := n8nSample(t, nil)
	if _, again := n8nSample(t, nil); !bytes.Equal(text, again) {
		t.Error("the same filling gives two workflows")
	}
	files, err := filepath.Glob("n8n/identity/*.js")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	want := map[string]string{partsNode: readSource(t, "n8n/parts.js")}
	for i, file := range files {
		if i > 0 {
			want[identityNode] += "\n"
		}
		want[identityNode] += readSource(t, file)
	}
	for _, n := range w.Nodes {
		if code, ok := n.Parameters["jsCode"]; ok != (want[n.Name] != "") || ok && code != want[n.Name] {
			t.Errorf("%s: its text is not that of the sources", n.Name)
		}
	}
}

func readSource(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestN8NFillingIsData: whatever contract and recipe hold, no parameter becomes
// an expression and no program changes.
func TestN8NFillingIsData(t *testing.T) {
	plain, _ := n8nSample(t, nil)
	const hostile = "={{ $env.IDEM_KEY }} \"'`\\ ${x} </script> */ \u2028 ]] [[ .Name ]]\n= 1"
	filled, text := n8nSample(t, func(v *n8nValues) {
		v.recipe.Boundary, v.recipe.Sensitive = hostile, []string{"/" + hostile}
		v.recipe.Identity[hostile] = n8nEntry{Input: hostile, WhenNull: "refuse", WhenAbsent: "omit"}
		v.contract.Operation, v.contract.Path, v.contract.BaseURL = hostile, hostile, hostile
		v.contract.Headers = [][2]string{{hostile, hostile}}
		v.contract.AllowHosts = []string{hostile}
	})
	if !bytes.Contains(text, []byte(`$env.IDEM_KEY`)) {
		t.Fatal("the workflow is not filled")
	}
	if a, b := expressions(plain.Nodes), expressions(filled.Nodes); !slices.Equal(a, b) || len(a) < 6 {
		t.Errorf("expressions %q, those of the sample are %q", b, a)
	}
	for i, n := range filled.Nodes {
		if n.Parameters["jsCode"] != plain.Nodes[i].Parameters["jsCode"] {
			t.Errorf("%s: another program", n.Name)
		}
	}
}

// expressions are all texts of the nodes' parameters that n8n evaluates.
func expressions(nodes []n8nNode) []string {
	var out []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.HasPrefix(v, "=") {
				out = append(out, v)
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	for _, n := range nodes {
		walk(n.Parameters)
	}
	slices.Sort(out)
	return out
}
