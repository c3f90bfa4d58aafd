package determ

import (
	"slices"
	"strings"
)

const (
	stayHint  = "take what stays the same from the first attempt to the last retry"
	plainHint = "take the plain value; the ID is keyed and gives nothing away"
)

// volatileName finds fields whose names say that they are new for each
// attempt: the entry's own, its input's, and its pointer's last.
func (l *linter) volatileName(e *Entry) {
	names := [][]string{words(e.Name), words(e.Input)}
	if n := len(e.Pointer); n > 0 {
		names = append(names, words(e.Pointer[n-1]), words(strings.Join(e.Pointer, " ")))
	}
	l.volatileNames(e, names, "looks")
}

// volatileNames judges a field, or a member of its value, by names for it.
// looks begins the messages.
func (l *linter) volatileNames(e *Entry, names [][]string, looks string) {
	named := func(is func([]string) bool) bool {
		for _, list := range names {
			if len(list) > 0 && is(list) {
				return true
			}
		}
		return false
	}
	switch {
	case named(isCiphertextName):
		l.about(e, "volatile-ciphertext", LevelError, plainHint, looks+" encrypted by its name: encrypting again gives other bytes, and a retry another ID")
	case named(isAttemptName):
		l.about(e, "volatile-id", LevelError, stayHint, looks+" by its name like a value made anew for each attempt, so that a retry would get another ID")
	case named(isMomentName):
		l.about(e, "volatile-time", LevelError, stayHint, looks+" by its name like the time of an attempt, so that a retry would get another ID")
	case named(isTokenName):
		l.about(e, "volatile-id", LevelWarning, stayHint, looks+" by its name like a token or signature, which are often made anew for each attempt")
	case named(isCallerName):
		l.about(e, "volatile-caller", LevelWarning, stayHint, looks+" by its name like what says who or what sent the attempt, and a retry may come from elsewhere")
	case named(isDateName):
		l.about(e, "volatile-time", LevelWarning, "make sure that it is the business's date, and not the time of the attempt", looks+" by its name like a time")
	}
}

// headed says whether one of the nouns is what a name names: whatever follows
// it says only in which form. A salt_type is no salt.
func headed(list []string, nouns string) bool {
	const forms = "id ids no nr num number count counter value val key uuid guid index idx string str text hash hex bytes code ref data field header token " +
		"at on in of time date ms millis milliseconds micros nanos seconds secs sec s utc gmt unix iso"
	for i := len(list) - 1; i >= 0; i-- {
		if anyOf(list[i:i+1], nouns) {
			return true
		}
		if !anyOf(list[i:i+1], forms) {
			return false
		}
	}
	return false
}

func isCiphertextName(list []string) bool {
	if anyOf(list[len(list)-1:], "type policy version algorithm alg kind format scheme mode status flag enabled required level suite method provider") || list[0] == "is" {
		return false // about encryption, and not encrypted
	}
	return anyOf(list, "encrypted enc sealed ciphertext cryptogram emv jwe") || headed(list, "cipher") ||
		phrase(list, "iv") || endsWith(list, "auth tag") || endsWith(list, "initialization vector") || endsWith(list, "ephemeral public key")
}

func isAttemptName(list []string) bool {
	joined := strings.Join(list, " ")
	for _, known := range []string{"request id", "req id", "correlation id", "trace id", "span id", "session id", "request uuid", "csrf token", "xsrf token"} {
		before, found := strings.CutSuffix(joined, known)
		if found && slices.Contains([]string{"", "x ", "http ", "api ", "client ", "amzn ", "headers ", "headers x "}, before) {
			return true // a payment request's id is another thing
		}
	}
	return phrase(list, "jti") || headed(list, "nonce random rand attempt attempts retry retries traceparent tracestate salt otp")
}

func isTokenName(list []string) bool {
	return headed(list, "token tokens signature signatures sig hmac jwt jws")
}

func isCallerName(list []string) bool {
	return headed(list, "hostname pid useragent") || endsWith(list, "user agent") || headedBy(list, "ip") ||
		endsWith(list, "remote addr") || endsWith(list, "remote address") || endsWith(list, "forwarded for") || endsWith(list, "host name") || endsWith(list, "pod name") ||
		endsWith(list, "thread id") || endsWith(list, "process id") ||
		endsWith(list, "version") && len(list) > 1 && anyOf(list[len(list)-2:], "app sdk library lib client api browser os")
}

// headedBy takes ip, client_ip and ip_address.
func headedBy(list []string, noun string) bool {
	if anyOf(list[len(list)-1:], "address addr v") {
		list = list[:len(list)-1]
	}
	return endsWith(list, noun)
}

func isMomentName(list []string) bool {
	const past = "created updated modified sent requested received generated submitted attempted started logged posted queued processed client server request local current"
	if headed(list, "timestamp timestamps ts epoch") || phrase(list, "now") {
		return true
	}
	for i, w := range list {
		if i > 0 && (w == "at" || w == "time" || w == "on") && anyOf(list[i-1:i], past) && headed(list[i:], w) {
			return true
		}
	}
	if len(list) == 1 {
		return anyOf(list, "created updated modified sent generated requested received submitted iat nbf")
	}
	return len(list) == 2 && (list[0] == "last" && anyOf(list[1:], "modified updated changed seen sent attempted") ||
		anyOf(list[:1], "date time") && anyOf(list[1:], "created updated modified sent generated received submitted"))
}

func isDateName(list []string) bool {
	last := list[len(list)-1]
	return len(list) > 1 && last == "at" || anyOf(list[len(list)-1:], "date time datetime when") || phrase(list, "exp")
}
