package pack

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/problem"
)

// checkBody refuses a body that is not beside the contract or beneath its
// folder, or is hidden there: a contract that somebody else wrote must not have
// whatever the reader may read carried along.
func checkBody(where, name string) error {
	bad := func(why string) error {
		return problem.New(where, "a pack carries no body of this name: %s", why).
			WithHint("body_file: charge.json, beside the contract or beneath its folder")
	}
	slashed := strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(slashed, "/") || len(name) > 1 && name[1] == ':' {
		return bad("it is no path relative to the contract")
	}
	for part := range strings.SplitSeq(slashed, "/") {
		switch {
		case part == "..":
			return bad("it leads out of the folder")
		case strings.HasPrefix(part, ".") && part != ".":
			return bad("it is hidden")
		}
	}
	return nil
}

// checkName refuses the name of a file that does not stay in the pack's folder,
// or that some system would not write under that name.
func checkName(where, name string) error {
	bad := func(why string) error {
		return problem.New(where, "a pack cannot hold a file of this name: %s", why)
	}
	switch {
	case name == "":
		return bad("it is empty")
	case strings.Contains(name, `\`):
		return bad(`it has a \, which is no separator everywhere; write /`)
	case strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':':
		return bad("it is no path relative to the contract")
	case len(name) > longestName || !utf8.ValidString(name):
		return bad("it is too long, or no UTF-8")
	}
	for part := range strings.SplitSeq(name, "/") {
		if why := badPart(part); why != "" {
			return bad(why)
		}
	}
	return nil
}

// longestName leaves room for the folder: some systems take 260 characters.
const longestName = 180

// badPart says why no folder or file of every system can have a name.
func badPart(part string) string {
	switch {
	case part == "" || part == ".":
		return "it has an empty part, or ."
	case part == "..":
		return "it leads out of the folder"
	case strings.ContainsAny(part, `<>:"|?*`) || strings.IndexFunc(part, func(r rune) bool { return r < ' ' || !plain(r) }) >= 0:
		return "it has a character that Windows does not take"
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return "a part ends with a full stop or a blank"
	}
	stem, _, _ := strings.Cut(strings.ToUpper(part), ".")
	switch stem = strings.TrimRight(stem, " "); {
	case slices.Contains([]string{"CON", "PRN", "AUX", "NUL"}, stem),
		len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && stem[3] >= '0' && stem[3] <= '9':
		return "Windows keeps it for a device"
	}
	return ""
}

// apart refuses two files under one name, and a file where another needs a
// folder, in the eyes of a file system that tells no capitals from small
// letters.
func apart(files []File) error {
	seen := map[string]string{}
	for _, f := range files {
		low := strings.ToLower(f.Name)
		if other, ok := seen[low]; ok {
			return problem.New(f.Name, "the pack has a file of this name already: %s", other)
		}
		seen[low] = f.Name
	}
	for _, f := range files {
		for i, c := range f.Name {
			if other, ok := seen[strings.ToLower(f.Name[:i])]; c == '/' && ok {
				return problem.New(f.Name, "%s is a file of the pack, and no folder", other)
			}
		}
	}
	return nil
}
