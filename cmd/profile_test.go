package cmd

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
)

// TestStartersRead: the contract that a profile is shown with reads as it
// stands, and with each of its commented lines put in.
func TestStartersRead(t *testing.T) {
	for _, name := range contract.ProfileNames() {
		p, err := contract.ProfileNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, text := range map[string]string{"as it stands": starter(p), "with every line": strings.ReplaceAll(strings.ReplaceAll(starter(p), "      # ", "      "), "  # auth", "  auth")} {
			c, err := contract.Parse("c.yaml", []byte(text), nil)
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", name, what, err, text)
				continue
			}
			if c.Profile != name || c.CheckHosts() != nil {
				t.Errorf("%s, %s: a live run of it is refused", name, what)
			}
		}
	}
}

// TestPresetsAgreeWithProfiles: where a preset of recipes and a profile are of
// one API, they know the same limits of its keys.
func TestPresetsAgreeWithProfiles(t *testing.T) {
	of := map[string]string{"adyen": "adyen", "ec2": "aws-client-token", "ietf": "ietf", "increase": "increase",
		"mangopay": "mangopay", "plaid": "plaid", "square": "square", "stripe": "stripe", "telnyx": "telnyx"}
	alone := map[string]bool{"amazon-pay": true, "google-cloud": true, "worldline": true}
	// The preset takes the narrowest of several limits, the profile states none.
	narrowest := map[string]bool{"square": true}
	for _, preset := range determ.Presets() {
		limits, _ := determ.Preset(preset)
		name, ok := of[preset]
		if !ok {
			if !alone[preset] {
				t.Errorf("is there a profile for the preset %s", preset)
			}
			continue
		}
		p, err := contract.ProfileNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		var rules contract.KeyRules
		if p.Key.Rules != nil {
			rules = *p.Key.Rules
		}
		if narrowest[preset] {
			if rules.MaxLength != 0 {
				t.Errorf("%s: the profile states a length", preset)
			}
			continue
		}
		if limits.MaxLength != rules.MaxLength || limits.MinLength != rules.MinLength {
			t.Errorf("%s: the preset has %d to %d, the profile %d to %d", preset, limits.MinLength, limits.MaxLength, rules.MinLength, rules.MaxLength)
		}
		if (limits.Alphabet == "") != (rules.Pattern == "") || limits.Alphabet != "" && !strings.Contains(rules.Pattern, "["+limits.Alphabet+"]") {
			t.Errorf("%s: the preset has the alphabet %q, the profile the pattern %q", preset, limits.Alphabet, rules.Pattern)
		}
	}
}
