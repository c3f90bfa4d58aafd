package probe

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/fingerprint"
)

// covered says that the contract's fingerprint covers a pointer.
func covered(op *contract.Operation, pointer string) bool {
	if pointer == op.Key.Body && pointer != "" {
		return false
	}
	for _, p := range leftOut(op) {
		if under(pointer, p) {
			return false
		}
	}
	c := op.Promise.Conflict.Value
	if len(c.Covers) == 0 {
		return true
	}
	for _, p := range c.Covers {
		if under(pointer, p) {
			return true
		}
	}
	return false
}

func leftOut(op *contract.Operation) []string {
	return append(append([]string(nil), op.Promise.Conflict.Value.Ignore...), op.Fingerprint.Ignore...)
}

// whollyCovered says that the fingerprint covers a pointer and all beneath it,
// and that neither the key nor a fresh value is there: the whole of it may be
// moved or taken out.
func whollyCovered(op *contract.Operation, pointer string) bool {
	if !covered(op, pointer) || op.Key.Body != "" && under(op.Key.Body, pointer) {
		return false
	}
	for _, f := range op.Request.Fresh {
		if under(f.At, pointer) {
			return false
		}
	}
	for _, p := range leftOut(op) {
		if under(p, pointer) {
			return false
		}
	}
	return true
}

// under says that a pointer is p or lies beneath it.
func under(pointer, p string) bool {
	return pointer == p || strings.HasPrefix(pointer, p+"/")
}

func freshAt(op *contract.Operation, pointer string) *contract.Fresh {
	for i := range op.Request.Fresh {
		if op.Request.Fresh[i].At == pointer {
			return &op.Request.Fresh[i]
		}
	}
	return nil
}

// walkValues shows every value of a tree with its pointer, the outer before
// the inner, in document order.
func walkValues(v *fingerprint.Value, at string, show func(pointer string, v *fingerprint.Value)) {
	show(at, v)
	for i, item := range v.Items {
		walkValues(item, at+"/"+itoa(int64(i)), show)
	}
	for _, m := range v.Members {
		walkValues(m.Value, at+"/"+escapeToken(m.Name), show)
	}
}
