// Package determ gives an operation its stable identity: determ-v1 from the
// recipe file to the ID. It reads no file, starts no process and knows no
// clock or chance; bytes come in, bytes go out.
//
// It reads in the order in which an ID comes about:
//
//   - the recipe (recipe.go, identity.go, source.go, limits.go, listed.go)
//   - the secret (secret.go, keyline.go, keyformat.go, sealed.go)
//   - the steps (selection.go, transform.go, derive.go, encode.go)
//   - holding a recipe to its word (explain.go, lock.go, lint.go and what follows it)
package determ

import "strconv"

// Triple names one recipe for ever.
type Triple struct {
	Namespace string
	Operation string
	Version   int
}

// Info is JCS([namespace, operation, version]), the info of the subkey. The
// alphabets of the names make escaping needless.
func (t Triple) Info() []byte {
	b := append([]byte(`["`), t.Namespace...)
	b = append(append(b, `","`...), t.Operation...)
	b = strconv.AppendInt(append(b, `",`...), int64(t.Version), 10)
	return append(b, ']')
}

// String gives "namespace/operation/version", the name of a triple in idem.lock.
func (t Triple) String() string {
	return t.Namespace + "/" + t.Operation + "/" + strconv.Itoa(t.Version)
}
