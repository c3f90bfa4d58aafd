package fingerprint

import (
	"bytes"
	"unicode/utf8"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Annotator puts one member more into records and leaves every other byte of
// them as it came. It is safe for concurrent use.
type Annotator struct {
	field  string
	quoted []byte // as most writers spell it
}

// NewAnnotator makes one for the member of a name. It fails for a name that
// is not UTF-8.
func NewAnnotator(field string) (*Annotator, error) {
	if !utf8.ValidString(field) {
		return nil, problem.New("", "the name of a member must be UTF-8")
	}
	return &Annotator{field, canon.AppendString(nil, field)}, nil
}

// Append appends a record with the member at its end. The record must be a
// text that was admitted, the value one that JSON need not escape. It fails
// for a record that is no object, or has a member of that name already,
// however that is spelled; then out comes back as it was.
func (a *Annotator) Append(out, record, value []byte) ([]byte, error) {
	end := len(trimRight(record)) - 1
	if end < 1 || record[end] != '}' {
		return out, problem.New("", "the record is no object, and takes no member")
	}
	if a.within(record) {
		return out, problem.New((Pointer{a.field}).String(), "the record has this member already").WithHint("--annotate with another name")
	}
	last := trimRight(record[:end])
	out = append(out, last...)
	if last[len(last)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(out, a.quoted...), `:"`...)
	out = append(append(out, value...), '"')
	return append(out, record[len(last):]...), nil
}

func trimRight(text []byte) []byte { return bytes.TrimRight(text, " \t\r\n") }

// within says whether a record has a member of the name. Where neither its
// usual spelling nor an escape stands anywhere, it has none.
func (a *Annotator) within(record []byte) bool {
	if !bytes.Contains(record, a.quoted) && bytes.IndexByte(record, '\\') < 0 {
		return false
	}
	depth, name := 0, false
	for i := 0; i < len(record); i++ {
		switch record[i] {
		case '"':
			end := stringEnd(record, i)
			if name && a.called(record[i:end]) {
				return true
			}
			i, name = end-1, false
		case '{', '[':
			depth++
			name = depth == 1
		case '}', ']':
			depth--
		case ',':
			name = depth == 1
		}
	}
	return false
}

// stringEnd gives where the string whose quote stands at i ends.
func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// called says whether a name, as it is spelled, is the member's.
func (a *Annotator) called(spelled []byte) bool {
	if bytes.IndexByte(spelled, '\\') < 0 {
		return string(spelled[1:len(spelled)-1]) == a.field
	}
	v, err := Parse(spelled)
	return err != nil || v.Str == a.field
}
