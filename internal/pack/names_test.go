package pack

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNamesThatAPackCanHold(t *testing.T) {
	for name, good := range map[string]bool{
		"a.json": true, "bodies/a.json": true, ".github/workflows/x.yml": true, "it's $(x) `y`.json": true, "漢字.json": true, "console.json": true, "com.json": true, "com10.txt": true, "-rf": true,
		"": false, "/etc/passwd": false, "../a": false, "a/../b": false, "a//b": false, "./a": false, "a/": false, `a\b`: false, "C:/a": false, "c:a": false,
		"a:b": false, "a*": false, "a?": false, `a"b`: false, "a<b": false, "a|b": false, "a\nb": false, "a\x00b": false, "a\u202eb": false, "a.": false, "a ": false, "a./b": false,
		"con": false, "CON.txt": false, "aux.json": false, "x/nul": false, "com1": false, "LPT9.log": false, "nul .txt": false, strings.Repeat("a", 181): false, "a\xff": false,
	} {
		if err := checkName("here", name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestEveryNameOfAPackIsSafe: on every system, and beside its neighbours.
func TestEveryNameOfAPackIsSafe(t *testing.T) {
	files, err := Files(sampleFilling(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := checkName(f.Name, f.Name); err != nil {
			t.Error(err)
		}
		if bytes.Contains(f.Content, []byte("\r\n")) {
			t.Errorf("%s has another system's line ends: a dry run of it is another", f.Name)
		}
		if strings.Contains(f.Name, "node_modules") || strings.HasSuffix(f.Name, ".db") {
			t.Errorf("%s is left over from a run", f.Name)
		}
	}
}

func TestFilesThatStandInEachOthersWay(t *testing.T) {
	for names, good := range map[string]bool{
		"a b": true, "a/b a/c": true, "ab/c a": true, "a a": false, "README.md readme.MD": false, "a a/b": false, "x/y/z x/Y": false,
	} {
		var files []File
		for _, name := range strings.Fields(names) {
			files = append(files, File{Name: name})
		}
		if err := apart(files); (err == nil) != good {
			t.Errorf("%s: %v", names, err)
		}
	}
}

// TestAZipIsItsFiles: the same bytes each time, and everything comes out again.
func TestAZipIsItsFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) File {
			return File{rapid.StringMatching(`[a-z漢]{1,8}(/[a-z']{1,8})?`).Draw(t, "name"), []byte(texts().Draw(t, "content")), rapid.Bool().Draw(t, "executable")}
		}), 0, 5, func(f File) string { return f.Name }).Draw(t, "files")
		one, err := Zip(files)
		if err != nil {
			t.Fatal(err)
		}
		if two, err := Zip(files); err != nil || !bytes.Equal(one, two) {
			t.Fatal("another zip", err)
		}
		z, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
		if err != nil || len(z.File) != len(files) {
			t.Fatal(err, len(z.File))
		}
		for i, f := range files {
			in := z.File[i]
			r, err := in.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(r)
			if err != nil || in.Name != ZipFolder+f.Name || !bytes.Equal(content, f.Content) || (in.Mode()&0o111 != 0) != f.Executable || !in.Mode().IsRegular() {
				t.Fatalf("%s %s: %q, %v", in.Name, in.Mode(), content, err)
			}
			if in.Modified.Year() != 1980 {
				t.Fatal(in.Modified)
			}
		}
	})
}
