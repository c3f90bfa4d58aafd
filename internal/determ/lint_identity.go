package determ

import "strings"

// identity judges the fields of one version by their names.
func (l *linter) identity(r *Recipe) {
	l.customerAndAmount(r)
	optional := 0
	for i := range r.Identity {
		e := &r.Identity[i]
		l.volatileName(e)
		if e.OmitAbsent {
			optional++
		}
		if e.Input == "" && len(e.Pointer) == 0 {
			l.about(e, "whole-payload", LevelWarning, "name the fields that make the operation what it is",
				"is the whole payload: a change of any field makes a retry a new operation")
		}
	}
	if optional == len(r.Identity) {
		l.add("identity-may-be-empty", LevelError, r.node.Lookup("identity"), "leave when_absent: refuse with one field at least",
			"every field may be absent, and nothing would be left to tell operations apart")
	}
}

// customerAndAmount: the same customer buying for the same amount again is no
// retry.
func (l *linter) customerAndAmount(r *Recipe) {
	parties, amounts := 0, 0
	for i := range r.Identity {
		switch {
		case isAmount(&r.Identity[i]):
			amounts++
		case isParty(&r.Identity[i]):
			parties++
		}
	}
	if amounts == 0 || parties+amounts < len(r.Identity) {
		return
	}
	l.add("customer-and-amount", LevelError, r.node.Lookup("identity"), "add what is new for each purchase and the same for its retries: a cart, order or invoice number",
		"the identity is nothing but a customer and an amount: two legitimate purchases would be one")
}

// fieldWords gives the words by which an entry is judged: those of its own
// name, and those of the pointer's last token that says something (of
// /customer/id, customer).
func fieldWords(e *Entry) (own, from []string) {
	own = significant(words(e.Name))
	if e.Input != "" {
		return own, significant(words(e.Input))
	}
	for i := len(e.Pointer) - 1; i >= 0 && len(from) == 0; i-- {
		from = significant(words(e.Pointer[i]))
	}
	return own, from
}

// words splits snake_case, kebab-case and camelCase.
func words(s string) []string {
	var list []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	lower := false
	for _, r := range s {
		upper := r >= 'A' && r <= 'Z'
		letter := upper || r >= 'a' && r <= 'z' || r > 0x7F
		if !letter || upper && lower {
			end()
		}
		if letter {
			word.WriteRune(r)
		}
		lower = letter && !upper
	}
	end()
	return list
}

// significant leaves out words that say nothing of what is named.
func significant(list []string) []string {
	var rest []string
	for _, w := range list {
		if !contains(genericWords(), w) {
			rest = append(rest, w)
		}
	}
	return rest
}

func genericWords() []string {
	return strings.Fields("id ids no nr num number ref reference key code name type kind field the a of in uid uuid guid data body payload")
}

func isParty(e *Entry) bool {
	known := strings.Fields("customer client user account tenant merchant buyer seller payer payee recipient beneficiary shopper " +
		"member person owner holder consumer patient subscriber contact email phone iban card pan wallet company organisation organization org " +
		"cust acct usr mail address source destination from to sender receiver debtor creditor vendor supplier shop store")
	own, from := fieldWords(e)
	return allOf(own, known) || allOf(from, known)
}

func isAmount(e *Entry) bool {
	known := strings.Fields("amount amounts total totals subtotal price sum value cents minor currency ccy quantity qty cost fee tax money balance amt")
	if anyOf(words(e.Name), strings.Fields("id ids ref reference number no nr key uuid guid")) {
		return false // the number of a fee is no amount
	}
	own, from := fieldWords(e)
	return anyOf(own, known) || anyOf(from, known)
}

func allOf(list, known []string) bool {
	for _, w := range list {
		if !contains(known, w) {
			return false
		}
	}
	return len(list) > 0
}

func anyOf(list, known []string) bool {
	for _, w := range list {
		if contains(known, w) {
			return true
		}
	}
	return false
}

const (
	stayHint  = "take what stays the same from the first attempt to the last retry"
	plainHint = "take the plain value; the ID is keyed and gives nothing away"
)

// volatileName finds fields whose names say that they are new for each
// attempt: the entry's own, its input's, and its pointer's last.
func (l *linter) volatileName(e *Entry) {
	names := [][]string{words(e.Name), words(e.Input)}
	if n := len(e.Pointer); n > 0 {
		names = append(names, words(e.Pointer[n-1]))
	}
	named := func(is func([]string) bool) bool {
		for _, list := range names {
			if is(list) {
				return true
			}
		}
		return false
	}
	switch {
	case named(isCiphertextName):
		l.about(e, "volatile-ciphertext", LevelError, plainHint, "looks encrypted by its name: encrypting again gives other bytes, and a retry another ID")
	case named(isAttemptName):
		l.about(e, "volatile-id", LevelError, stayHint, "looks by its name like a value made anew for each attempt, so that a retry would get another ID")
	case named(isMomentName):
		l.about(e, "volatile-time", LevelError, stayHint, "looks by its name like the time of an attempt, so that a retry would get another ID")
	case named(isTokenName):
		l.about(e, "volatile-id", LevelWarning, stayHint, "looks by its name like a token or signature, which are often made anew for each attempt")
	case named(isDateName):
		l.about(e, "volatile-time", LevelWarning, "make sure that it is the business's date, and not the time of the attempt", "looks by its name like a time")
	}
}

func isCiphertextName(list []string) bool {
	return anyOf(list, strings.Fields("encrypted ciphertext cipher enc jwe sealed cryptogram emv"))
}

func isAttemptName(list []string) bool {
	joined := strings.Join(list, " ")
	for _, phrase := range []string{"request id", "req id", "correlation id", "trace id", "span id", "session id", "request uuid", "csrf token", "xsrf token"} {
		before, found := strings.CutSuffix(joined, phrase)
		if found && (before == "" || contains([]string{"x ", "http ", "api ", "client ", "amzn "}, before)) {
			return true // a payment request's id is another thing
		}
	}
	return anyOf(list, strings.Fields("nonce random rand attempt attempts retry retries traceparent tracestate salt otp"))
}

func isTokenName(list []string) bool {
	return anyOf(list, strings.Fields("token tokens signature signatures hmac jwt"))
}

func isMomentName(list []string) bool {
	if anyOf(list, strings.Fields("timestamp timestamps ts now epoch")) {
		return true
	}
	past := strings.Fields("created updated modified sent requested received generated submitted attempted started logged posted queued processed client server request local current")
	for i, w := range list {
		if i > 0 && (w == "at" || w == "time" || w == "on") && contains(past, list[i-1]) {
			return true
		}
	}
	return false
}

func isDateName(list []string) bool {
	last := ""
	if len(list) > 0 {
		last = list[len(list)-1]
	}
	return len(list) > 1 && last == "at" || contains([]string{"date", "time", "datetime", "when"}, last)
}
