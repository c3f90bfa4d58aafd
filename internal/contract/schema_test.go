package contract

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/idem-toolkit/idem/internal/document"
)

type object = map[string]any

func schemaTree(t *testing.T) object {
	t.Helper()
	var tree object
	if err := json.Unmarshal(Schema, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

var compiler = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	return c, c.AddResource("contract.json", doc)
})

// compiled gives the schema, or the part of it at a JSON Pointer.
func compiled(t *testing.T, pointer string) *jsonschema.Schema {
	t.Helper()
	c, err := compiler()
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("contract.json#" + pointer)
	if err != nil {
		t.Fatalf("%s: %v", pointer, err)
	}
	return s
}

func validates(t *testing.T, s *jsonschema.Schema, n *document.Node) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(n.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func node(t *testing.T, name, src string) *document.Node {
	t.Helper()
	n, err := document.Parse(name, []byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return n
}

func TestSchemaIsDraft202012(t *testing.T) {
	compiled(t, "")
	if got := schemaTree(t)["$schema"]; got != "https://json-schema.org/draft/2020-12/schema" {
		t.Error(got)
	}
}

// Every key that the reader knows is in the schema, and the reverse.
func TestSchemaKeys(t *testing.T) {
	defs := schemaTree(t)["$defs"].(object)
	for _, b := range blocks {
		def, ok := defs[b.name].(object)
		if !ok {
			t.Errorf("the schema has no %s", b.name)
			continue
		}
		var got []string
		for name := range def["properties"].(object) {
			got = append(got, name)
		}
		want := b.names()
		sort.Strings(got)
		sort.Strings(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, the reader %v", b.name, got, want)
		}
		if def["additionalProperties"] != false {
			t.Errorf("%s: the schema lets any key in", b.name)
		}
	}
	for name, def := range defs {
		if _, closed := def.(object)["properties"]; closed && !slices.ContainsFunc(blocks[:], func(b block) bool { return b.name == name }) {
			t.Errorf("the reader knows no block %s", name)
		}
	}
}

// Every word that the reader knows is in the schema, and the reverse.
func TestSchemaWords(t *testing.T) {
	defs := schemaTree(t)["$defs"].(object)
	known := map[string][]string{"waiver.step": allSteps(), "sibling.effects": wordsOf("operation.effects")}
	for _, c := range choices {
		known[c.place] = c.words
	}
	for _, b := range blocks {
		for _, key := range b.names() {
			place := b.name + "." + key
			got := enums(defs[b.name].(object)["properties"].(object)[key])
			if want := known[place]; !slices.Equal(got, want) {
				t.Errorf("%s: the schema has %v, the reader %v", place, got, want)
			}
		}
	}
}

// enums gives the words of every enum beneath, references not followed.
func enums(v any) (words []string) {
	switch v := v.(type) {
	case object:
		if list, ok := v["enum"].([]any); ok {
			for _, w := range list {
				words = append(words, w.(string))
			}
		}
		for _, name := range sortedKeys(v) {
			if name != "enum" {
				words = append(words, enums(v[name])...)
			}
		}
	case []any:
		for _, item := range v {
			words = append(words, enums(item)...)
		}
	}
	return words
}

// The lines that hints show are lines that the file may have.
func TestSamples(t *testing.T) {
	for _, b := range blocks {
		for _, key := range b.names() {
			if b.name == "contract" && key == "operations" {
				continue // tried below, in a whole file
			}
			n := node(t, "sample.yaml", b.line(key)).Lookup(key)
			if err := validates(t, compiled(t, "/$defs/"+b.name+"/properties/"+key), n); err != nil {
				t.Errorf("%s, %s: %v", b.name, b.line(key), err)
			}
		}
	}
	c := blockOf("contract")
	src := strings.Join([]string{c.line("idem"), c.line("name"), c.line("target"), c.line("operations"), c.line("limits"), c.line("waive")}, "\n")
	if _, err := Parse("samples.yaml", []byte(src), nil); err != nil {
		t.Error(err)
	}
	if err := validates(t, compiled(t, ""), node(t, "samples.yaml", src)); err != nil {
		t.Error(err)
	}
}

func TestSchemaTakesGoodFiles(t *testing.T) {
	whole := compiled(t, "")
	for _, name := range goodFiles {
		if err := validates(t, whole, node(t, name, string(good(t, name).Source))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the schema refuses of the mistakes, the reader does too (that is
// TestEdits); of those that need no second look at the file, the schema must
// refuse most.
func TestSchemaRefuses(t *testing.T) {
	whole := compiled(t, "")
	refused, tried := 0, 0
	for _, e := range edits {
		src, err := os.ReadFile(filepath.Join(contracts, "good", e.file))
		if err != nil {
			t.Fatal(err)
		}
		n, err := document.Parse(e.file, []byte(strings.Replace(string(src), e.old, e.new, 1)))
		if err != nil {
			continue
		}
		tried++
		if validates(t, whole, n) != nil {
			refused++
		}
	}
	if refused*2 < tried {
		t.Errorf("the schema refuses %d of %d mistakes", refused, tried)
	}
	t.Logf("the schema refuses %d of %d mistakes", refused, tried)
}

// Reader and schema agree on every single member: left out, or of a type that
// is never right.
func TestSchemaAndReaderAgree(t *testing.T) {
	whole := compiled(t, "")
	for _, name := range goodFiles {
		root := node(t, name, string(good(t, name).Source))
		changes := 0
		mutate(root, "", func(path string) {
			changes++
			schemaSays := validates(t, whole, root)
			c, readerSays := Parse(name+".json", root.JSON(), beside)
			if schemaSays != nil && readerSays == nil {
				t.Errorf("%s, %s: the schema refuses what is read: %v\n%s", name, path, schemaSays, dump(c, false))
			}
			if readerSays != nil && schemaSays == nil && isShape(readerSays) {
				t.Errorf("%s, %s: the schema takes what is refused: %v", name, path, readerSays)
			}
			if strings.HasPrefix(path, "wrong type") && !freeForm(path) && readerSays == nil {
				t.Errorf("%s, %s: read all the same", name, path)
			}
		})
		if changes < 20 {
			t.Errorf("%s: only %d changes", name, changes)
		}
	}
}

// freeForm says whether any JSON value may stand at a path.
func freeForm(path string) bool {
	return strings.Contains(path+"/", "/body/") && strings.Contains(path, "/request/") || strings.Contains(path, "/json/")
}

// isShape says whether an error is of the kind that a schema sees.
func isShape(err error) bool {
	s := err.Error()
	for _, words := range []string{"is missing in", "must be a string", "must be a list", "must be an object", "unknown key", "must be true or false", "whole number"} {
		if strings.Contains(s, words) {
			return true
		}
	}
	return false
}

// mutate leaves each member out once and gives it a value of no right type
// once, tells tried, and puts it back.
func mutate(n *document.Node, path string, tried func(string)) {
	for i := range n.Members {
		m := n.Members[i]
		here := path + "/" + m.Name
		all := n.Members
		n.Members = append(slices.Clone(all[:i]), all[i+1:]...)
		tried("left out " + here)
		n.Members = all
		n.Members[i].Value = wrongType(m.Value)
		tried("wrong type " + here)
		n.Members[i].Value = m.Value
		mutate(m.Value, here, tried)
	}
	for i, item := range n.Items {
		mutate(item, path+"/"+string(rune('0'+i)), tried)
	}
}

// wrongType gives an object in an object with a name that no block knows, or
// for what is free-form a list of lists.
func wrongType(n *document.Node) *document.Node {
	inner := &document.Node{Kind: document.Array, Items: []*document.Node{{Kind: document.Array}}}
	if n.Kind == document.Object {
		return inner
	}
	return &document.Node{Kind: document.Object, Members: []document.Member{{Name: "no such key", Value: inner}}}
}
