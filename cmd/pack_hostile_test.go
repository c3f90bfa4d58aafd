package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/pack"
)

// hostileWords mean something to a language of some file of a pack.
var hostileWords = []string{
	"no", "on", "null", "~", "010", "1e3", "-", "--force", "- item", "a: b", "a #b", "#", "'", `"`, `'"` + "`", `\`, "$HOME", "${HOME}", "$(touch x)", "`touch x`",
	"${{ secrets.TOKEN }}", "={{ $env.X }}", "{{ x }}", "[[ .Name ]]", "]]", "a\nb", "a\r\nb", "\t", "\u0085", "\u2028", "\u202e", "\x7f", "🛒", "é", "漢字",
	"*/", "-->", "</script>", "]]>", "&amp;", "# x", "|", "a|b", "1. x", "'; DROP TABLE orders; --", "%s", "../../etc/passwd", "/", "~1", "{}", "[]", "@x", "!x", "&x", "*x", "```",
}

// hostileContract puts words into every place of a contract, its recipe and its
// payload that takes any text. It is written as JSON, so that the words are
// what they are.
func hostileContract(t interface{ Fatal(...any) }, words func(place string) string) pack.Filling {
	escape := func(s string) string { return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }
	id, other, email := "id"+words("identity"), "other"+words("member"), "mail"+words("sensitive")
	payload := map[string]any{id: words("value") + "1", other: map[string]any{words("inner"): words("value")}, email: "customer@example.com", "n": 1}
	contract := map[string]any{
		"idem": "contract/v1", "name": "n" + words("name"),
		"target": map[string]any{"base_urls": []string{"http://127.0.0.1:9"}, "allow_hosts": []string{"127.0.0.1"},
			"auth": map[string]any{"header": "Authorization", "env": "API_TOKEN", "prefix": "Bearer "}},
		"operations": []any{map[string]any{
			"name": "o" + words("operation"),
			"request": map[string]any{"method": "POST", "path": "/v1/it's?a=%22&b=$(x)&c=`y`", "headers": map[string]any{"Content-Type": "application/json", "X-Shop": "it's \"$HOME\" `x` ${{ y }} #: */ -->"},
				"body_file": "payload.json", "fresh": []string{escape(id)}},
			"fingerprint": map[string]any{"ignore": []string{escape(other)}, "headers": []string{"X-It's-`$x`"}},
			"key":         map[string]any{"header": "X-Key-'`$|~", "recipe": "recipe.yaml"},
			"promise": map[string]any{"duplicate": "replay", // little, so that the plan is small
				"marker": map[string]any{"header": "X-Replayed", "value": "it's \"true\" ${{ x }}"}},
			"effects": map[string]any{"command": map[string]any{"run": []string{"count", words("argument"), "{fresh:" + escape(id) + "}"}}},
		}},
	}
	recipe := map[string]any{
		"idem": "recipe/v1", "namespace": "ours.shop", "operation": "checkout", "version": 1, "prefix": "ord", "boundary": "One order. " + words("boundary"),
		"identity":  map[string]any{id: escape(id), "f" + words("field"): map[string]any{"pointer": escape(email)}},
		"sensitive": []string{escape(email)}, "key": map[string]any{"kid": "k1", "env": "IDEM_KEY"},
	}
	text := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return pack.Filling{Contract: text(contract), Recipe: text(recipe), Payload: text(payload)}
}

// hostilePlaces are where hostileContract puts words.
var hostilePlaces = []string{"identity", "member", "sensitive", "value", "inner", "name", "operation", "argument", "boundary", "field"}

// takes says whether contract and recipe take what the words make of them.
func takes(f pack.Filling) bool {
	_, err := contract.Parse(pack.ContractName, f.Contract, func(string) ([]byte, error) { return f.Payload, nil })
	if err != nil {
		return false
	}
	r, err := determ.Parse(pack.RecipeName, f.Recipe)
	if err == nil {
		_, err = r.DeriveText(f.Payload, nil, determ.TestSecret("k1"))
	}
	return err == nil
}

// TestHostileNamesFillThePack: each word in every place that takes it.
func TestHostileNamesFillThePack(t *testing.T) {
	t.Parallel()
	taken := map[string]int{}
	for _, word := range hostileWords {
		takers := map[string]bool{}
		for _, place := range hostilePlaces {
			if takes(hostileContract(t, func(p string) string { return strings.Repeat(word, times(p == place)) })) {
				takers[place] = true
				taken[place]++
			}
		}
		f, err := filled(hostileContract(t, func(p string) string { return strings.Repeat(word, times(takers[p])) }), false)
		if err != nil {
			t.Errorf("%q in %v: %v", word, takers, err)
			continue
		}
		holds(t, fmt.Sprintf("%q in %v", word, takers), f)
	}
	for _, place := range hostilePlaces {
		if taken[place] < len(hostileWords)/2 {
			t.Errorf("only %d of %d words were taken as %s", taken[place], len(hostileWords), place)
		}
	}
}

func times(once bool) int {
	if once {
		return 1
	}
	return 0
}

// TestHostileNamesTogether puts any words into all places at once.
func TestHostileNamesTogether(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.OneOf(rapid.SampledFrom(hostileWords), rapid.StringN(0, 12, -1))
		f := hostileContract(t, func(place string) string { return words.Draw(t, place) })
		if !takes(f) {
			t.Skip("the contract or the recipe does not take them")
		}
		f, err := filled(f, false)
		if err != nil {
			t.Fatal(err)
		}
		holds(t, "words", f)
	})
}

// holds holds every file of a pack to its language, and what was given to what
// is there.
func holds(t interface {
	Fatal(...any)
	Errorf(string, ...any)
}, what string, f pack.Filling) {
	files, err := pack.Files(f)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, file := range files {
		if bad := unreadable(file); bad != nil {
			t.Errorf("%s: %s: %v", what, file.Name, bad)
		}
		for name, given := range map[string][]byte{pack.ContractName: f.Contract, pack.RecipeName: f.Recipe, pack.PayloadName: f.Payload} {
			if file.Name == name && !bytes.Equal(file.Content, given) {
				t.Errorf("%s: %s is not what was given", what, name)
			}
		}
	}
	if _, err := pack.Zip(files); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// unreadable says why a reader of the file's language does not take it.
func unreadable(f pack.File) error {
	if !utf8.Valid(f.Content) {
		return fmt.Errorf("is no UTF-8")
	}
	switch ext := path.Ext(f.Name); {
	case ext == ".json":
		var v any
		return json.Unmarshal(f.Content, &v)
	case ext == ".yaml" || ext == ".yml":
		if _, err := document.Parse(f.Name, f.Content); err != nil && f.Name != "compose.yaml" { // which has anchors
			return err
		}
		var v any
		return yaml.Unmarshal(f.Content, &v)
	case ext == ".md":
		// A code block that a value closed would leave an odd number of fences.
		if n := strings.Count("\n"+string(f.Content), "\n```"); n%2 != 0 {
			return fmt.Errorf("has %d fences", n)
		}
	}
	return nil
}
