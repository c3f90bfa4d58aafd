package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// plainBody gives the place of a body that a contract names, and refuses a link on
// the way from the contract's folder: it would have a pack carry what stands
// elsewhere under a name that says nothing of it.
func plainBody(dir, name string) (string, error) {
	at := name
	if !filepath.IsAbs(name) {
		at = filepath.Join(dir, name)
		beneath := dir
		for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(name)), "/") {
			beneath = filepath.Join(beneath, part)
			if info, err := os.Lstat(beneath); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return "", problem.New("", "%s is a link, and a pack carries none", document.Show(beneath)).
					WithHint("put the file itself there")
			}
		}
	}
	if info, err := os.Stat(at); err == nil && !info.Mode().IsRegular() {
		return "", errors.New("it is no file")
	}
	return at, nil
}
