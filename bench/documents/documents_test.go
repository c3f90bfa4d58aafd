package documents

import (
	"bytes"
	"encoding/json"
	"testing"
)

// The page of figures says what the documents are like, and so must they be.
func TestDocumentsAreWhatTheyAreCalled(t *testing.T) {
	all := All(300_000)
	for _, k := range all {
		if len(k.Texts) == 0 {
			t.Errorf("%s: none", k.Name)
		}
		for _, text := range k.Texts {
			if !json.Valid([]byte(text)) || bytes.ContainsRune([]byte(text), '\n') {
				t.Fatalf("%s: %.200q is not one line of JSON", k.Name, text)
			}
		}
		if lines := k.Lines(); len(lines) != k.Bytes()+len(k.Texts) || bytes.Count(lines, []byte{'\n'}) != len(k.Texts) {
			t.Errorf("%s: %d bytes in lines of %d", k.Name, len(lines), k.Bytes())
		}
		t.Logf("%s: %d documents, %d bytes", k.Name, len(k.Texts), k.Bytes())
	}
	for name, size := range map[string][2]int{Records: {270, 310}, Deep: {1_000_000, 1_100_000}, Wide: {200_000, 300_000}} {
		for _, k := range all {
			if each := k.Bytes() / len(k.Texts); k.Name == name && (each < size[0] || each > size[1]) {
				t.Errorf("%s: %d bytes each", name, each)
			}
		}
	}
	names := map[string]int{}
	if err := json.Unmarshal([]byte(all[len(all)-1].Texts[0]), &names); err != nil || len(names) != 10_000 {
		t.Error(len(names), err)
	}
}

func TestDocumentsAreTheSameAtEveryRun(t *testing.T) {
	a, b := All(100_000), All(100_000)
	for i := range a {
		if a[i].Name != b[i].Name || !bytes.Equal(a[i].Lines(), b[i].Lines()) {
			t.Errorf("%s: two runs differ", a[i].Name)
		}
	}
	different := map[string]bool{}
	for _, text := range a[0].Texts {
		different[text] = true
	}
	if a[0].Name != Records || len(different) != len(a[0].Texts) {
		t.Errorf("%d different records of %d", len(different), len(a[0].Texts))
	}
	if !bytes.Equal(RecordLines(50_000), RecordLines(50_000)) {
		t.Error("lines of records differ")
	}
}
