package determ

import (
	"slices"
	"strings"
	"sync"
)

// words splits snake_case, kebab-case, camelCase, ACRONYMCase and known words
// that are run together, into lower case. Digits part words and are left out.
func words(s string) []string {
	var list []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			list = append(list, runTogether(strings.ToLower(string(word)))...)
			word = word[:0]
		}
	}
	upper := func(r rune) bool { return r >= 'A' && r <= 'Z' }
	for _, r := range s {
		letter := upper(r) || r >= 'a' && r <= 'z' || r > 0x7F
		n := len(word)
		switch {
		case !letter:
			end()
			continue
		case n > 0 && upper(r) && !upper(word[n-1]):
			end()
		case n > 1 && !upper(r) && upper(word[n-1]) && upper(word[n-2]):
			last := word[n-1] // IBANNumber: the word begins with the last capital
			word = word[:n-1]
			end()
			word = append(word, last)
		}
		word = append(word, r)
	}
	end()
	return list
}

// runTogether parts requestid and paymentmethodid. What is not made of known
// words alone stays one word.
func runTogether(word string) []string {
	if parts := knownParts(word); parts != nil {
		return parts
	}
	return []string{word}
}

func knownParts(word string) []string {
	if vocabulary()[word] != 0 {
		return []string{word}
	}
	const longest = 40 // bounds the search; no name of known words is longer
	if len(word) > longest {
		return nil
	}
	for _, tail := range []string{"reference", "identifier", "number", "method", "address", "agent", "token", "email", "uuid", "guid", "time", "date", "name", "key", "ref", "id", "at", "no"} {
		head, found := strings.CutSuffix(word, tail)
		if !found || len(head) < 3 {
			continue
		}
		if parts := knownParts(head); parts != nil {
			return append(parts, tail)
		}
	}
	return nil
}

// sense is what a word of a name says of the value, as far as it matters to
// whether one purchase can be told from the next.
type sense uint8

const (
	generic   sense = 1 << iota // nothing: id, number, data
	partial                     // a token or part of something; alone, of a card
	party                       // who pays, is paid or holds
	amount                      // how much
	goods                       // what is bought, or how it is described
	setting                     // where, or in which way
	operation                   // what is made once for each purchase
	technical                   // of requests, clients and the time
)

// vocabulary gives the senses of the words that lint knows.
var vocabulary = sync.OnceValue(func() map[string]sense {
	known := map[string]sense{}
	add := func(s sense, text string) {
		for _, w := range strings.Fields(text) {
			known[w] |= s
		}
	}
	add(generic, "id ids no nr num number ref reference key code name type kind field the a of in uid uuid guid data body payload "+
		"identifier value object details info")
	add(partial, "token tokens fingerprint last four digits suffix bin mask masked hash")
	add(party, "customer client user account tenant merchant buyer seller payer payee recipient beneficiary shopper "+
		"member person owner holder consumer patient subscriber contact email mail phone iban card pan wallet company organisation organization org "+
		"cust acct usr address source destination from to sender receiver debtor creditor vendor supplier shop store "+
		"customers clients users accounts cards bic swift aba routing bank cardholder username login mobile telephone tel msisdn ssn passport "+
		"mandate profile guest passenger rider driver employee partner affiliate dealer biller issuer acquirer business team workspace household "+
		"surname forename firstname lastname first birth birthdate birthday dob street city zip postcode postal instrument wallets donor sponsor tutor student pupil")
	add(amount, "amount amounts total totals subtotal price prices sum cents minor currency currencies ccy quantity qty cost costs fee fees tax taxes vat money balance amt "+
		"gross net discount tip tips surcharge units")
	add(goods, "sku skus product products item items article articles goods plan description desc descriptor title note notes memo comment comments text label variant color colour "+
		"category service services message subject purpose reason")
	add(setting, "type kind status state method mode scheme network brand channel region country locale language lang market platform environment env "+
		"site province terminal till pos")
	add(operation, "order orders cart basket bag checkout invoice bill transfer payment charge refund booking reservation purchase transaction txn tx trx "+
		"trade contract quote ticket intent subscription period cycle batch job line lines event shipment delivery claim loan receipt settlement payout withdrawal "+
		"deposit capture authorization sale rental trip ride visit appointment slot version revision sequence instalment installment voucher po")
	add(technical, "request req correlation trace span session idempotency csrf xsrf agent created updated modified sent generated received requested submitted "+
		"time date at timestamp datetime nonce random retry attempt ip")
	return known
})

func anyOf(list []string, known string) bool {
	for _, w := range strings.Fields(known) {
		if slices.Contains(list, w) {
			return true
		}
	}
	return false
}

// phrase says whether list is text, word by word.
func phrase(list []string, text string) bool { return strings.Join(list, " ") == text }

// endsWith says whether the last words of list are those of text.
func endsWith(list []string, text string) bool {
	tail := strings.Fields(text)
	return len(list) >= len(tail) && phrase(list[len(list)-len(tail):], text)
}

// significant leaves out words that say nothing of what is named.
func significant(list []string) []string {
	var rest []string
	for _, w := range list {
		if vocabulary()[w]&generic == 0 {
			rest = append(rest, w)
		}
	}
	return rest
}

// namesSomething says whether a name says what its value is the number of: a
// cart, a customer, any word but one of requests or one too short to mean
// anything. Where it does not, ofRequests says whether it speaks of requests.
func namesSomething(list []string) (named, ofRequests bool) {
	for _, w := range significant(list) {
		switch s := vocabulary()[w]; {
		case s&technical != 0, anyOf([]string{w}, "unique dedup dedupe"):
			ofRequests = true
		case s&partial != 0, s == 0 && len([]rune(w)) < 3, anyOf([]string{w}, "meta metadata header headers params context root input inputs val raw"):
		default:
			return true, false
		}
	}
	return false, ofRequests
}
