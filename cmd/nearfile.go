package cmd

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/problem"
)

// What is told of a file that cannot be opened: the one that was most likely
// meant, of the same folder.

// unopened says why a file that is to be read cannot be opened.
func unopened(file string, err error) error {
	if at := urlIn(file); at != "" && errors.Is(err, fs.ErrNotExist) {
		return problem.New("", "%s is a URL, and a file is needed", at).WithHint("save what is there in a file, or pipe it to standard input and name that -")
	}
	return nearer(problem.New(file, "cannot be read: %s", reason(err)).Because(err), file, file, err)
}

// nearer gives the error of a file that is not there the nearest name as its
// hint: written is the name where the user wrote it, file where it was looked for.
func nearer(wrong *problem.Error, written, file string, err error) error {
	dir, base := filepath.Split(file)
	if !errors.Is(err, fs.ErrNotExist) || base == "" || secretFile(base) {
		return wrong
	}
	near := nearName(base, filesIn(dir))
	if near == "" {
		return wrong
	}
	return wrong.WithHint("did you mean %s?", plainly(strings.TrimSuffix(written, base)+near))
}

// isFolder says that what was named is a folder, and which file in it there
// is, where it is the only one.
func isFolder(folder string) error {
	wrong := problem.New(folder, "is a folder, not a file")
	names := slices.DeleteFunc(filesIn(folder), func(name string) bool {
		return !slices.Contains(textEndings[:], strings.ToLower(filepath.Ext(name)))
	})
	if len(names) == 1 {
		return wrong.WithHint("did you mean %s?", plainly(filepath.Join(folder, names[0])))
	}
	return wrong.WithHint("name a file in it")
}

// urlIn gives scheme and host of a URL, which is all of it that may be shown,
// and "" for any other word.
func urlIn(word string) string {
	scheme, _, found := strings.Cut(word, "://")
	if !found || scheme == "" || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+") != "" {
		return ""
	}
	u, err := url.Parse(word)
	if err != nil || u.Host == "" {
		return scheme + "://..."
	}
	return u.Scheme + "://" + u.Host
}

// textEndings are those of the files that idem reads, the likelier first.
var textEndings = [...]string{".yaml", ".yml", ".json", ".ndjson", ".jsonl"}

// nearName finds the name with the same stem and another ending, then one that
// is spelled much like it, then the one that has a word more before its ending.
func nearName(base string, names []string) string {
	stem := strings.TrimSuffix(base, filepath.Ext(base))
	for _, whole := range []string{base, stem} {
		for _, ending := range textEndings {
			for _, name := range names {
				if strings.EqualFold(name, whole+ending) {
					return name
				}
			}
		}
	}
	near, least := "", min(2, len(stem)/3)+1
	var longer []string
	for _, name := range names {
		ending := filepath.Ext(name)
		if !strings.EqualFold(ending, filepath.Ext(base)) {
			continue
		}
		own := strings.TrimSuffix(name, ending)
		if len(own) <= 64 && len(stem) <= 64 {
			if far := problem.Distance(strings.ToLower(stem), strings.ToLower(own)); far < least {
				near, least = name, far
			}
		}
		if strings.HasPrefix(own, stem+".") {
			longer = append(longer, name)
		}
	}
	if near == "" && len(longer) == 1 {
		return longer[0]
	}
	return near
}

// mostNames bounds how much of a folder is looked at.
const mostNames = 2000

// filesIn gives the names of a folder's files, sorted, less those that may be
// secrets: what is beside a file is nobody's business but its own.
func filesIn(dir string) []string {
	f, err := os.Open(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostNames)
	var names []string
	for _, e := range entries {
		regular := e.Type().IsRegular()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			regular = err == nil && info.Mode().IsRegular()
		}
		if regular && !secretFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// secretFile says whether a file's name looks like that of a secret.
func secretFile(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "id_") {
		return true
	}
	for _, word := range []string{"key", "secret", "token", "passw", "passphrase", "credential", "private", "auth", ".pem", ".p12", ".pfx", ".env"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// plainly gives a name as it is where a shell takes it so, else in quotes.
func plainly(name string) string {
	if showable(name) {
		return name
	}
	return strconv.Quote(name)
}
