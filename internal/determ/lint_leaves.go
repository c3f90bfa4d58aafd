package determ

import (
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// leaf is a value in a field that holds no others, with the names that it
// goes by.
type leaf struct {
	value *fingerprint.Value
	path  []string // member names and indices below the field
	field *Entry
}

func eachLeaf(f Field, visit func(leaf)) {
	var walk func(v *fingerprint.Value, path []string)
	walk = func(v *fingerprint.Value, path []string) {
		for i, item := range v.Items {
			walk(item, append(path[:len(path):len(path)], itoa(i)))
		}
		for _, m := range v.Members {
			walk(m.Value, append(path[:len(path):len(path)], m.Name))
		}
		if len(v.Items) == 0 && len(v.Members) == 0 {
			visit(leaf{v, path, f.Entry})
		}
	}
	walk(f.Value, nil)
}

// names gives the words of the nearest name: a member's or, where none is
// between, those of the field and of its pointer's last token.
func (v leaf) names() []string {
	if name := v.member(); name != "" {
		return words(name)
	}
	name := words(v.field.Name)
	if v.field.Input != "" {
		return append(name, words(v.field.Input)...)
	}
	if n := len(v.field.Pointer); n > 0 {
		name = append(name, words(v.field.Pointer[n-1])...)
	}
	return name
}

// member is the nearest name below the field, empty where there is none.
func (v leaf) member() string {
	for i := len(v.path) - 1; i >= 0; i-- {
		if len(words(v.path[i])) > 0 {
			return v.path[i]
		}
	}
	return ""
}

// named says whether something says what the value is the number of. The
// nearest name that speaks decides.
func (v leaf) named() bool {
	tokens := append(append([]string{v.field.Input}, v.field.Pointer...), v.path...)
	for i := len(tokens) - 1; i >= 0; i-- {
		named, ofRequests := namesSomething(words(tokens[i]))
		if inside := i > len(v.field.Pointer); named || ofRequests && inside {
			return named
		} else if ofRequests {
			break
		}
	}
	named, _ := namesSomething(words(v.field.Name))
	return named
}

// members judges the names inside a field's value as those of fields are, once
// each: the objects of a list share theirs.
func (l *linter) members(f Field) {
	judged := map[string]bool{}
	eachLeaf(f, func(v leaf) {
		name := v.member()
		if name == "" {
			return
		}
		path := slices.Clone(f.Entry.Pointer)
		for _, token := range v.path {
			if strings.Trim(token, "0123456789") != "" {
				path = append(path, token)
			}
		}
		whole := strings.Join(path, " ")
		if !judged[whole] {
			judged[whole] = true
			l.volatileNames(f.Entry, [][]string{words(name), words(whole)}, "holds what looks")
		}
	})
}
