package determ

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Derived is one ID with what it came from.
type Derived struct {
	ID       string
	Recipe   *Recipe
	Selected *Selected
}

// Derive gives the ID that the current version of a recipe has for an admitted
// payload (determ-v1, Steps). The secret's kid must be the recipe's.
func (r *Recipe) Derive(payload *fingerprint.Value, inputs Inputs, secret *Secret) (*Derived, error) {
	if err := r.CheckInputs(inputs); err != nil {
		return nil, err
	}
	selected, err := r.Select(payload, inputs)
	if err != nil {
		return nil, err
	}
	return r.Identify(selected, secret)
}

// DeriveText is Derive for the text of a payload.
func (r *Recipe) DeriveText(payload []byte, inputs Inputs, secret *Secret) (*Derived, error) {
	v, err := r.Admit(payload)
	if err != nil {
		return nil, err
	}
	return r.Derive(v, inputs, secret)
}

// Admit reads a payload: what the recipe and its listed versions select of it,
// the rest admitted and left out. Its error shows no value that the recipe
// calls sensitive.
func (r *Recipe) Admit(payload []byte) (*fingerprint.Value, error) {
	var places []fingerprint.Pointer
	for _, l := range r.All() {
		for i := range l.Recipe.Identity {
			if e := &l.Recipe.Identity[i]; e.Input == "" {
				places = append(places, e.Pointer)
			}
		}
	}
	v, err := fingerprint.ParseAt(payload, places)
	if err != nil {
		return nil, r.hide(err)
	}
	return v, nil
}

// Identify gives the ID of an identity that Select took out: Steps 3 to 5.
func (r *Recipe) Identify(selected *Selected, secret *Secret) (*Derived, error) {
	sk, err := r.subkey(secret)
	if err != nil {
		return nil, err
	}
	id := r.Encode.Encode(r.Prefix, r.Version, sk.Tag(selected.Canonical))
	if why := r.Limits.refuse(len(id), id); why != "" {
		return nil, problem.New("", "the ID is outside the recipe's limits: %s", why)
	}
	return &Derived{ID: id, Recipe: r, Selected: selected}, nil
}

// subkey derives the recipe's subkey of the secret that its key names.
func (r *Recipe) subkey(secret *Secret) (Subkey, error) {
	if secret.Kid() != r.Key.Kid {
		return Subkey{}, problem.New("", "the secret is called %s, and the recipe's kid is %s", secret.Kid(), r.Key.Kid).
			WithHint("kid: %s, or the secret that is called so", secret.Kid())
	}
	return secret.Subkey(r.Triple)
}

// Tag is HMAC-SHA-256(SK, M) (RFC 2104).
func (k Subkey) Tag(canonical []byte) (tag [32]byte) {
	key := k.get()
	mac := hmac.New(sha256.New, key[:])
	mac.Write(canonical)
	mac.Sum(tag[:0])
	return tag
}

// Match gives the index of the ID that equals the one asked for, -1 where
// none does. It takes as long whichever matches.
func Match(ids []*Derived, id string) int {
	found := -1
	for i, d := range ids {
		equal := subtle.ConstantTimeCompare([]byte(d.ID), []byte(id))
		found = subtle.ConstantTimeSelect(equal&subtle.ConstantTimeEq(int32(found), -1), i, found)
	}
	return found
}

// same compares IDs, digests, checksums and key material. How long it takes
// tells nothing of how much of a guess is right.
func same[T string | []byte](a, b T) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
