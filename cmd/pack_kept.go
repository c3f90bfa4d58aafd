package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/pack"
	"github.com/idem-toolkit/idem/internal/problem"
)

// keptFile is a file that was there: one that gave way to a pack's, or one that
// stays, and lacks lines of the pack's.
type keptFile struct {
	name, as string
	lacks    []string
}

// tell says what became of it.
func (k keptFile) tell(w io.Writer) {
	if k.as != "" {
		fmt.Fprintf(w, "%s: was there already, and is now %s\n", k.name, k.as)
		return
	}
	fmt.Fprintf(w, "%s: was there already, and stays; it lacks these lines of the pack's, for you to add:\n", k.name)
	for _, line := range k.lacks {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

// forGit says whether git goes by a file: with the reader's own out of the way,
// what it hid would be in the next commit.
func forGit(name string) bool {
	return slices.Contains([]string{".gitignore", ".gitattributes"}, path.Base(name))
}

// leave has a file stay in the place of the pack's, and notes which lines of the
// pack's it lacks.
func (w *packWriter) leave(f pack.File) error {
	var there []byte
	if info, err := w.root.Stat(f.Name); err == nil && info.Mode().IsRegular() && info.Size() <= mostContract {
		if there, err = w.root.ReadFile(f.Name); err != nil {
			return err
		}
	}
	has := map[string]bool{"": true}
	for line := range strings.Lines(string(there)) {
		has[strings.TrimSpace(line)] = true
	}
	var lacks []string
	for line := range strings.Lines(string(f.Content)) {
		if line = strings.TrimSpace(line); !has[line] && !strings.HasPrefix(line, "#") {
			lacks = append(lacks, line)
		}
	}
	if len(lacks) > 0 {
		w.kept = append(w.kept, keptFile{name: w.at(f.Name), lacks: lacks})
	}
	return nil
}

// keep renames a file that must give way.
func (w *packWriter) keep(name string) error {
	as := name + ".orig"
	for i := 2; ; i++ {
		if _, err := w.root.Lstat(as); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil || i > mostKept {
			return problem.New(w.at(name), "would be replaced, and there are %d of it already", i-1).WithHint("move %s away", strings.TrimSuffix(as, path.Ext(as)))
		}
		as = fmt.Sprintf("%s.orig%d", name, i)
	}
	if err := w.root.Rename(name, as); err != nil {
		return err
	}
	w.kept = append(w.kept, keptFile{name: w.at(name), as: w.at(as)})
	w.undo = append(w.undo, func() { w.root.Rename(as, name) })
	return nil
}

// mostKept bounds how many files of one name are kept.
const mostKept = 100
