package determ

import (
	"sort"
	"strconv"
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
)

// Limits are what an API takes as a key. Nothing is ever cut to fit.
type Limits struct {
	Preset    string // where the rest comes from; empty: said in the recipe
	MinLength int
	MaxLength int    // 0: none
	Alphabet  string // as in a character class, "0-9a-f-"; empty: any

	at *document.Node
}

const maxLimit = 1 << 16

// preset gives the limits that a well-known API publishes.
func preset(name string) (Limits, bool) {
	const visible = "!-~" // ASCII that can be seen
	switch name {
	case "ietf":
		return Limits{}, true
	case "stripe":
		return Limits{MaxLength: 255}, true
	case "ec2":
		return Limits{MaxLength: 64, Alphabet: visible}, true
	case "google-cloud":
		return Limits{MaxLength: 36, Alphabet: visible}, true
	case "mangopay":
		return Limits{MinLength: 16, MaxLength: 36}, true
	case "worldline":
		return Limits{MaxLength: 40}, true
	case "amazon-pay":
		return Limits{MaxLength: 32, Alphabet: "A-Za-z0-9_-"}, true
	case "adyen":
		return Limits{MaxLength: 64}, true
	case "square":
		return Limits{MaxLength: 45}, true
	case "plaid":
		return Limits{MaxLength: 50}, true
	case "increase":
		return Limits{MaxLength: 200}, true
	case "telnyx":
		return Limits{MinLength: 1, MaxLength: 255, Alphabet: "A-Za-z0-9_:-"}, true
	}
	return Limits{}, false
}

// presetNames are the names that preset knows.
func presetNames() []string {
	return []string{"adyen", "amazon-pay", "ec2", "google-cloud", "ietf", "increase", "mangopay", "plaid", "square", "stripe", "telnyx", "worldline"}
}

// Presets gives the names of the limits that a recipe may take by name, sorted.
func Presets() []string { return presetNames() }

// Preset gives the limits of that name; ok is false where there are none.
func Preset(name string) (limits Limits, ok bool) { return preset(name) }

func readLimits(f *document.Fields) Limits {
	l := f.OptObject("limits", "preset", "max_length", "min_length", "alphabet")
	if l == nil {
		return Limits{}
	}
	limits := Limits{}
	if l.Has("preset") {
		name := l.Enum("preset", presetNames()...)
		if len(l.Node.Members) > 1 {
			l.Fail(l.Node.Errorf("limits are a preset, or max_length, min_length and alphabet, not both").WithHint("keep preset, or the others"))
		}
		limits, _ = preset(name)
		limits.Preset = name
	} else {
		limits.MaxLength = int(l.OptInt("max_length", 0, 1, maxLimit))
		limits.MinLength = int(l.OptInt("min_length", 0, 1, maxLimit))
		limits.Alphabet = l.OptString("alphabet", "")
		if limits.MaxLength > 0 && limits.MinLength > limits.MaxLength {
			l.Fail(l.Node.Errorf("min_length is above max_length").
				WithHint("min_length: %d", limits.MaxLength))
		}
	}
	if l.Has("alphabet") && l.Err() == nil {
		if _, err := alphabetRanges(limits.Alphabet); err != "" {
			l.Fail(l.Get("alphabet").Errorf("%s", err).WithHint(`alphabet: "0-9a-f-"`))
		}
	}
	limits.at = l.Node
	f.Fail(l.Err())
	return limits
}

// alphabetRanges reads a character class without brackets: single characters
// and ranges; a hyphen that starts or ends it stands for itself.
func alphabetRanges(s string) (ranges [][2]rune, wrong string) {
	runes := []rune(s)
	if len(runes) == 0 {
		return nil, "alphabet is empty"
	}
	for i := 0; i < len(runes); i++ {
		first, last := runes[i], runes[i]
		if i+2 < len(runes) && runes[i+1] == '-' {
			last = runes[i+2]
			i += 2
		}
		if first > last {
			return nil, "alphabet has the range " + document.Show(string(first)+"-"+string(last)) + ", which runs backwards"
		}
		ranges = append(ranges, [2]rune{first, last})
	}
	return ranges, ""
}

// outside gives the characters of s that the alphabet lacks, each once.
func (l Limits) outside(s string) string {
	if l.Alphabet == "" {
		return ""
	}
	ranges, _ := alphabetRanges(l.Alphabet)
	missing := []string{}
	for _, c := range s {
		in := false
		for _, r := range ranges {
			in = in || c >= r[0] && c <= r[1]
		}
		if !in && !strings.ContainsRune(strings.Join(missing, ""), c) {
			missing = append(missing, string(c))
		}
	}
	sort.Strings(missing)
	return strings.Join(missing, "")
}

// refuse says why an ID of that length and those characters is outside the
// limits; empty where it is not.
func (l Limits) refuse(length int, characters string) string {
	switch missing := l.outside(characters); {
	case l.MaxLength > 0 && length > l.MaxLength:
		return "it has " + strconv.Itoa(length) + " characters and the limit is " + strconv.Itoa(l.MaxLength)
	case length < l.MinLength:
		return "it has " + strconv.Itoa(length) + " characters and the least is " + strconv.Itoa(l.MinLength)
	case missing != "":
		return "it may hold " + document.Show(missing) + ", which the alphabet lacks"
	}
	return ""
}

// fits refuses a recipe whose IDs are, or may come to be, outside its limits.
func (r *Recipe) fits() error {
	why := r.Limits.refuse(r.Encode.length(r.Prefix, r.Version), r.Encode.characters(r.Prefix))
	if why == "" {
		return nil
	}
	err := r.Limits.at.Errorf("an ID of encoding %s is outside the limits: %s", r.Encode, why)
	for _, other := range []Encoding{ID, Short, UUID} {
		if r.Limits.refuse(other.length(r.Prefix, r.Version), other.characters(r.Prefix)) == "" {
			return err.WithHint("encode: %s", other)
		}
	}
	return err.WithHint("another encode or prefix, or other limits")
}

func itoa(n int) string { return strconv.Itoa(n) }
