package determ

import "strings"

// businessTimes are words of times that belong to what is bought.
const businessTimes = "scheduled schedule due start starts end ends valid effective expires expiry period departure arrival booking appointment slot from until since"

// volatileValue finds values that are new for each attempt by what they are.
func (l *linter) volatileValue(f Field) {
	l.members(f)
	eachLeaf(f, func(v leaf) {
		switch what := valueKind(v.value, v.names()); what {
		case moment:
			if anyOf(v.names(), businessTimes) {
				l.about(f.Entry, "volatile-time", LevelWarning, "make sure that it is the business's time, and not the time of the attempt", "is a time in the example")
				return
			}
			l.about(f.Entry, "volatile-time", LevelError, stayHint, "is a time in the example: made for each attempt, it gives a retry another ID")
		case clockNumber:
			if !v.named() {
				l.about(f.Entry, "volatile-time", LevelWarning, stayHint, "holds in the example what a clock gives in numbers: made for each attempt, it gives a retry another ID")
			}
		case ciphertext:
			l.about(f.Entry, "volatile-ciphertext", LevelError, plainHint,
				"is encrypted in the example: encrypting again gives other bytes, and a retry another ID")
		case saltedHash:
			l.about(f.Entry, "volatile-ciphertext", LevelError, plainHint,
				"is a salted hash in the example: hashing again gives another one, and a retry another ID")
		case webToken:
			l.about(f.Entry, "volatile-id", LevelError, stayHint,
				"is a JWT in the example: it holds the time at which it was made, and the next one gives a retry another ID")
		case randomID:
			if !v.named() {
				l.about(f.Entry, "volatile-id", LevelWarning, "make sure that it is stored before the first attempt", "is a random id in the example: made for each attempt, it gives a retry another ID")
			}
		}
	})
}

// pieces gives a text and the parts of which programs put identities together.
func pieces(s string) []string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("|;#,_", r) })
	if len(parts) < 2 {
		return []string{s}
	}
	return append([]string{s}, parts...)
}
