package contract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write golden files anew")

const contracts = "../../testdata/contracts"

// dump writes a value as one "path = value" a line, zero values left out.
func dump(v any, positions bool) string {
	var b strings.Builder
	dumpInto(&b, "", reflect.ValueOf(v), positions)
	return b.String()
}

func dumpInto(b *strings.Builder, path string, v reflect.Value, positions bool) {
	switch x := v.Interface().(type) {
	case Pos:
		if positions && x != (Pos{}) {
			fmt.Fprintf(b, "%s = %d:%d\n", path, x.Line, x.Column)
		}
		return
	case time.Duration:
		if x != 0 {
			fmt.Fprintf(b, "%s = %s\n", path, x)
		}
		return
	case []byte:
		if x != nil {
			fmt.Fprintf(b, "%s = %q\n", path, x)
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			dumpInto(b, path, v.Elem(), positions)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Name != "Source" && f.Name != "SHA256" {
				dumpInto(b, strings.TrimPrefix(path+"."+f.Name, "."), v.Field(i), positions)
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && !v.IsNil() && v.Len() == 0 {
			fmt.Fprintf(b, "%s = []\n", path)
		}
		for i := range v.Len() {
			dumpInto(b, fmt.Sprintf("%s[%d]", path, i), v.Index(i), positions)
		}
	case reflect.Map:
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, k := range keys {
			dumpInto(b, fmt.Sprintf("%s[%s]", path, k), v.MapIndex(k), positions)
		}
	case reflect.String:
		if v.Len() > 0 || strings.HasSuffix(path, "]") {
			fmt.Fprintf(b, "%s = %q\n", path, v.String())
		}
	default:
		if !v.IsZero() {
			fmt.Fprintf(b, "%s = %v\n", path, v.Interface())
		}
	}
}

// golden compares with a file under testdata/contracts, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(contracts, name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s, line %d:\ngot  %s\nwant %s", name, i+1, line(g, i), line(w, i))
		}
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// good reads a good contract with the files that it names.
func good(t testing.TB, name string) *Contract {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(contracts, "good", name))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(name, src, beside)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func beside(path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(contracts, "good", path))
}

var goodFiles = []string{"example.yaml", "minimal.yaml", "replicas.json", "references.yaml", "words.yaml"}
