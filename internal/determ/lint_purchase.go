package determ

import (
	"slices"

	"github.com/idem-toolkit/idem/internal/problem"
)

// role is what an identity field does towards telling one purchase from the
// next.
type role int

const (
	telling role = iota // a number of something, or a word that lint does not know
	ofParty
	ofAmount
	ofGoods
	ofSetting
	ofDay
)

// customerAndAmount: the same customer buying the same for the same amount
// again is no retry. A date tells purchases of different days apart, and those
// of one day not.
func (l *linter) customerAndAmount(r *Recipe) {
	var roles []role
	for i := range r.Identity {
		roles = append(roles, l.role(&r.Identity[i]))
	}
	if slices.Contains(roles, telling) {
		return
	}
	var made []string
	for _, m := range []struct {
		role role
		what string
	}{{ofParty, "a customer"}, {ofGoods, "what is bought"}, {ofAmount, "an amount"}, {ofSetting, "a place or a way"}, {ofDay, "a date"}} {
		if slices.Contains(roles, m.role) {
			made = append(made, m.what)
		}
	}
	what := problem.Enumerated(made)
	const hint = "add what is new for each purchase and the same for its retries: a cart, order or invoice number"
	at := r.node.Lookup("identity")
	if slices.Contains(roles, ofDay) {
		l.add("customer-and-amount", LevelWarning, at, hint, "the identity is nothing but "+what+": two legitimate purchases of one day would be one")
		return
	}
	l.add("customer-and-amount", LevelError, at, hint, "the identity is nothing but "+what+": two legitimate purchases would be one")
}

// role judges an entry by where its value comes from and, where that says
// nothing that lint knows, by its name.
func (l *linter) role(e *Entry) role {
	from, known := telling, false
	if e.Input != "" {
		from, known = roleOf(words(e.Input), nil)
	} else {
		from, known = roleOf(pointerWords(e))
	}
	if known {
		return from
	}
	own, _ := roleOf(words(e.Name), nil)
	return own
}

// pointerWords gives the words of a pointer's last token that says something
// (of /customer/id and /card/last4, customer and card), with those that stand
// behind it, and the words above it.
func pointerWords(e *Entry) (list, above []string) {
	for i := len(e.Pointer) - 1; i >= 0; i-- {
		list = append(words(e.Pointer[i]), list...)
		if len(telltale(list)) == 0 && i > 0 {
			continue
		}
		for _, t := range e.Pointer[:i] {
			above = append(above, words(t)...)
		}
		break
	}
	return list, above
}

// telltale leaves out, from the end, words that only say which property of the
// thing named before them it is.
func telltale(list []string) []string {
	for len(list) > 0 && vocabulary()[list[len(list)-1]]&(generic|partial) != 0 && vocabulary()[list[len(list)-1]]&setting == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// roleOf reads a name as one reads English: the last word that says something
// is what it is, and those before it say which. known is false where the words
// leave it open.
func roleOf(list, above []string) (r role, known bool) {
	rest := telltale(list)
	if len(rest) == 0 {
		switch {
		case anyOf(list, "token tokens fingerprint last bin pan"):
			return ofParty, true // of a card
		case anyOf(list, "name"):
			return ofParty, true
		}
		return telling, false // the id, and of what nobody says
	}
	numbered := anyOf(list[len(rest):], "id ids ref reference number no nr num key uuid guid identifier")
	if s, found := phraseRole(rest, list, above); found {
		return s, true
	}
	if anyOf(rest, "exp expiry expiration") {
		return ofParty, true // of a card
	}
	head := rest[len(rest)-1]
	known = vocabulary()[head] != 0
	switch s := vocabulary()[head]; {
	case s&operation != 0:
		return telling, true
	case s&party != 0:
		return ofParty, true
	case s&goods != 0:
		sold := anyOf(rest[len(rest)-1:], "sku skus product products item items article articles goods plan variant category service services")
		if numbered && (!sold || slices.ContainsFunc(rest, func(w string) bool { return vocabulary()[w]&operation != 0 })) {
			return telling, true // the number of a message, or of a line of an order
		}
		return ofGoods, true
	case s&amount != 0:
		if numbered {
			return telling, true // the number of a fee is no amount
		}
		return ofAmount, true
	case s&setting != 0:
		return ofSetting, true
	case head == "date" || head == "day":
		return dayRole(rest[:len(rest)-1]), true
	}
	return telling, known
}

// phraseRole knows names that are not what their last word says.
func phraseRole(rest, list, above []string) (role, bool) {
	path := append(slices.Clone(above), rest...)
	for _, p := range []string{"payment method", "payment instrument", "payment source", "funding source", "payment option", "bank code", "sort code",
		"national id", "tax id", "vat id", "birth date"} {
		if endsWith(path, p) || endsWith(list, p) {
			return ofParty, true
		}
	}
	switch {
	case endsWith(rest, "payment") && anyOf(list[len(rest):], "token tokens hash fingerprint"):
		return ofParty, true
	case endsWith(list, "price id"), endsWith(list, "price key"):
		return ofGoods, true
	case anyOf(list, "reference ref") && anyOf(rest[len(rest)-1:], "merchant seller vendor creditor client partner shop store business"):
		return telling, true // their number of the order, and not of themselves
	}
	return telling, false
}

// dayRole parts the date on which something is done, which only says that it
// was another day, from one that the business names: a due date, a booking's.
func dayRole(which []string) role {
	for _, w := range which {
		if !anyOf([]string{w}, "order purchase transaction payment charge sale request invoice bill transfer today current local utc server client system create created creation sent paid") {
			return telling
		}
	}
	return ofDay
}
