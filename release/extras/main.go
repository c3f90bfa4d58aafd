// Command extras writes what comes with a release beside the program: a page
// of the manual for each command, completions for each shell, and the licences
// of all that the program is built from. The same source, version and date
// give the same bytes.
//
// Read manual.go for the manual, roff.go for how it is written, licences.go
// for the licences.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/cmd"
)

func main() {
	var o options
	flag.StringVar(&o.out, "out", "", "the `folder` to write to; what is in it of an earlier run is replaced")
	flag.StringVar(&o.version, "version", cmd.Version, "the version that the manual names")
	flag.StringVar(&o.date, "date", "", "the date that the manual bears, as 2006-01-02 or with a time behind it")
	flag.Parse()
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "extras:", err)
		os.Exit(1)
	}
}

type options struct {
	out, version, date string
}

func run(o *options) error {
	if o.out == "" {
		return fmt.Errorf("no folder is named: --out FOLDER")
	}
	if len(o.date) < len(time.DateOnly) {
		return fmt.Errorf("the date %q is not one: --date 2006-01-02", o.date)
	}
	day, err := time.Parse(time.DateOnly, o.date[:len(time.DateOnly)])
	if err != nil {
		return err
	}
	cmd.Version = o.version
	root := cmd.Tree()
	files := map[string][]byte{}
	for name, page := range manual(root, o.version, day) {
		if files["man/"+name+".gz"], err = compressed(page); err != nil {
			return err
		}
	}
	if err := completions(root, files); err != nil {
		return err
	}
	if files["LICENSES.txt"], err = licences("."); err != nil {
		return err
	}
	return write(o.out, files)
}

// completions adds the script of each shell, under the name by which the shell
// finds it.
func completions(root *cobra.Command, files map[string][]byte) error {
	for name, generate := range map[string]func(io.Writer) error{
		"idem.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"_idem":     root.GenZshCompletion,
		"idem.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"idem.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return err
		}
		files["completions/"+name] = script.Bytes()
	}
	return nil
}

// compressed is gzip without a name or a time, as Debian wants its manual.
func compressed(page []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(page); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

func write(folder string, files map[string][]byte) error {
	for _, old := range []string{"man", "completions"} {
		if err := os.RemoveAll(filepath.Join(folder, old)); err != nil {
			return err
		}
	}
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
