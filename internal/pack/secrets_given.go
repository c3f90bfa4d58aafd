package pack

import (
	"strings"
	"unicode"
)

// givenIn says what kind of secret a text gives to a name, in whatever language:
// NAME=value, name: value, --name value, a scheme with its credential, and
// curl's user. The value must look like no word, or prose of passwords and
// tokens would be refused.
func givenIn(text string) string {
	for at, c := range text {
		if c != '=' && c != ':' {
			continue
		}
		name, value := nameBefore(text[:at]), valueBehind(text[at+1:])
		if least := secretLength(name); least > 0 && len(value) >= least && unworded(value) && literal(value) {
			return "a value is given to what is named like a secret"
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;(){}[]\\", r) })
	curl := false
	for i, word := range words {
		curl = curl || strings.HasSuffix(word, "curl")
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if what := givenByWord(word, next, curl); what != "" {
			return what
		}
	}
	return ""
}

// givenByWord says what a word gives with the next one.
func givenByWord(word, next string, curl bool) string {
	scheme := strings.ToLower(word[strings.LastIndexAny(word, ":=")+1:])
	switch {
	case (scheme == "bearer" || scheme == "basic") && len(next) >= 12 && unworded(next) && literal(next):
		return "a credential behind " + scheme
	case word == "-u" || word == "--user":
		if userGiven(next, curl) {
			return "a user's password"
		}
	case curl && strings.HasPrefix(word, "-u") || strings.HasPrefix(word, "--user="):
		if userGiven(strings.TrimPrefix(strings.TrimPrefix(word, "--user="), "-u"), curl) {
			return "a user's password"
		}
	case strings.HasPrefix(word, "-") && !strings.HasPrefix(next, "-"):
		name := strings.TrimLeft(word, "-")
		if least := secretLength(name); least > 0 && len(next) >= least && unworded(next) && literal(next) {
			return "a value is given to what is named like a secret"
		}
	}
	return ""
}

// userGiven says whether a word is user:password. Numbers are a user and a group
// of the system.
func userGiven(word string, curl bool) bool {
	_, password, ok := strings.Cut(word, ":")
	return ok && strings.Trim(password, "0123456789") != "" && literal(password) && (curl || len(password) >= 6 && unworded(password))
}

// longestSecretName and longestSecretValue bound what is looked at for one name.
const longestSecretName, longestSecretValue = 100, 200

// nameBefore is the name at the end of a text, quotes and blanks behind it left
// out.
func nameBefore(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-longestSecretName):], "\"'\\ \t:")
	at := strings.LastIndexFunc(text, func(r rune) bool { return !nameRune(r) })
	return strings.Trim(text[at+1:], "-._")
}

func nameRune(r rune) bool {
	return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.", r))
}

// valueBehind is the value at the beginning of a text.
func valueBehind(text string) string {
	text = strings.TrimLeft(text[:min(len(text), longestSecretValue)], "=\"'\\ \t")
	if at := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;&|<>(){}[]\\", r) }); at >= 0 {
		if text[at] == '(' {
			return "" // a program's call
		}
		text = text[:at]
	}
	return strings.TrimRight(text, ".:")
}

// secretLength is the least length at which the value under a name is a secret;
// 0 where the name is not that of one. Words count, not letters: a bypass is no
// pass, a keyboard no key.
func secretLength(name string) int {
	words := nameWords(name)
	if len(words) == 0 {
		return 0
	}
	switch words[len(words)-1] {
	case "password", "passwd", "passphrase", "pwd", "pass", "pgpassword":
		return 6
	case "token", "secret", "apikey", "sig", "authtoken", "accesstoken", "clientsecret":
		return 8
	case "key":
		if len(words) > 1 {
			switch words[len(words)-2] {
			case "api", "access", "secret", "private":
				return 8
			}
		}
	}
	return 0
}

// nameWords splits a name into its words, small: "dbPass", "DB_PASS", "db-pass".
func nameWords(name string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		before = r
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// unworded says whether a value has what words do not have: digits, or capitals
// behind small letters or before them in the middle.
func unworded(value string) bool {
	lower, capital := false, false
	for i, r := range value {
		switch {
		case unicode.IsDigit(r):
			return true
		case unicode.IsLower(r):
			lower = true
		case unicode.IsUpper(r) && i > 0:
			capital = true
		}
	}
	return lower && capital
}

// literal says whether a value is itself what counts: no reference to where it
// is, no name of a variable, nothing that is filled in later, nothing made up.
func literal(value string) bool {
	if value == "" || reference(value) || made(value) || strings.ContainsAny(value[:1], "$%{[(<@") || strings.HasPrefix(value, "«") {
		return false
	}
	variable := strings.Contains(value, "_")
	for _, r := range value {
		variable = variable && (r == '_' || unicode.IsUpper(r) || unicode.IsDigit(r))
	}
	return !variable
}
