// Package pack makes the runnable pack of idem: a contract, its recipe and its
// payload, and everything that is run with them.
//
// What is under files is written under the same names. A file that ends in
// .tmpl is a text/template between [[ and ]], filled with Values; one that ends
// in .file is there under another name because it could not be embedded under
// its own. All others are written as they are. Begin with Files.
package pack

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed all:files
var embedded embed.FS

// File is one file of a pack.
type File struct {
	Name       string // slashed, relative to the pack's folder
	Content    []byte
	Executable bool
}

// The names of what a pack is made of.
const (
	ContractName = "contract.yaml"
	RecipeName   = "recipe.yaml"
	PayloadName  = "payload.json"
	LockName     = "idem.lock"
	ExpectedName = "expected-dry-run.json"
)

// Filling is what a pack is made of and filled with.
type Filling struct {
	Contract []byte // written as they are
	Recipe   []byte
	Payload  []byte
	Lock     []byte
	Expected []byte // the dry run's result; nil while it is being made
	Further  []File // what else the contract reads

	Values Values
}

// Sample gives the contract, recipe and payload of the fictional sample.
func Sample() (contract, recipe, payload []byte) {
	read := func(name string) []byte {
		b, err := embedded.ReadFile("files/" + name)
		if err != nil {
			panic("pack: the sample lacks " + name)
		}
		return b
	}
	return read(ContractName), read(RecipeName), read(PayloadName)
}

// Files gives the files of a pack, sorted by name. Errors are of templates
// that do not take the values, and of two files under one name.
func Files(f Filling) ([]File, error) {
	own := []File{
		{Name: ContractName, Content: f.Contract}, {Name: RecipeName, Content: f.Recipe}, {Name: PayloadName, Content: f.Payload},
		{Name: LockName, Content: f.Lock}, {Name: ExpectedName, Content: f.Expected},
	}
	out := slices.Clone(own)
	err := fs.WalkDir(embedded, "files", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source := strings.TrimPrefix(path, "files/")
		name := writtenAs(source)
		if slices.ContainsFunc(own, func(o File) bool { return o.Name == name }) {
			return nil // the sample's, which is given like any other
		}
		content, err := f.Values.content(source)
		out = append(out, File{Name: name, Content: content, Executable: executable(name, content)})
		return err
	})
	if err != nil {
		return nil, err
	}
	if f.Values.n8n != nil {
		w, err := workflow(f)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	out = append(out, f.Further...)
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return out, apart(out)
}

// writtenAs is the name under which an embedded file is written.
func writtenAs(source string) string {
	return strings.TrimSuffix(strings.TrimSuffix(source, ".tmpl"), ".file")
}

// executable says whether a file is a program by itself.
func executable(name string, content []byte) bool {
	return strings.HasSuffix(name, ".sh") || strings.HasPrefix(string(content[:min(len(content), 2)]), "#!")
}
