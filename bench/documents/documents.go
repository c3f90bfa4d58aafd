// Package documents makes the JSON texts that the programs beside it measure
// with: the same at every run.
package documents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Kind is documents of one kind, without line breaks in them.
type Kind struct {
	Name  string
	Texts []string
}

// Names of the kinds that gates speak of.
const (
	Records = "different records"
	Escaped = "\\uXXXX-escaped text"
	Deep    = "900 unsorted levels around 1 MB"
	Wide    = "one object, 10,000 shuffled names"
)

// All gives every kind, the records up to a size in bytes.
func All(records int) []Kind {
	m := &maker{rand.New(rand.NewPCG(8785, 1))}
	small, order := m.payload(1), m.order()
	array := make([]string, 5100)
	for i := range array {
		array[i] = m.record(m.Rand)
	}
	return []Kind{
		{Records, m.records(records, 8)},
		{"records, every one's names shuffled", m.records(records/4, 0)},
		{"a payload of " + size(small), []string{small}},
		{"a payload of " + size(order), []string{order}},
		{"an array of records, 1.5 MB", []string{"[" + strings.Join(array, ",") + "]"}},
		{"money amounts", []string{m.money(5000)}},
		{Escaped, []string{m.escaped(2000)}},
		{Deep, []string{m.deep(900)}},
		{Wide, []string{m.wide(10_000)}},
	}
}

func size(text string) string { return strconv.Itoa(len(text)) + " B" }

// maker draws what documents are made of.
type maker struct{ *rand.Rand }

func (m *maker) word(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[m.IntN(len(letters))]
	}
	return string(b)
}

// from draws one of some words.
func (m *maker) from(words ...string) string { return words[m.IntN(len(words))] }

func (m *maker) amount() string { return fmt.Sprintf("%d.%02d", m.IntN(100_000), m.IntN(100)) }

// unsorted writes an object of members in an order that is drawn.
func (m *maker) unsorted(members ...string) string {
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

func member(name, value string) string { return strconv.Quote(name) + ":" + value }

// record is what a line of a log or an export looks like: some 293 bytes,
// texts of several scripts, whole numbers, amounts, a time, nesting. Order puts
// its members in the order of whoever wrote it.
func (m *maker) record(order *rand.Rand) string {
	o := &maker{order}
	cart := o.unsorted(
		member("id", strconv.Quote("c_"+m.word(8))),
		member("version", strconv.Itoa(m.IntN(40))),
		member("total", m.amount()),
		member("currency", strconv.Quote(m.from("EUR", "USD", "JPY", "PLN"))),
	)
	return o.unsorted(
		member("tenant", strconv.Quote(m.from("acme", "globex", "initech", "umbrella"))),
		member("cart", cart),
		member("customer", strconv.Quote(m.from("Zoë Müller", "Ana Souza", "山田太郎", "Jane Doe", "Łukasz Nowak"))),
		member("created", fmt.Sprintf(`"2026-%02d-%02dT%02d:%02d:%02dZ"`, 1+m.IntN(12), 1+m.IntN(28), m.IntN(24), m.IntN(60), m.IntN(60))),
		member("note", strconv.Quote("ring "+m.from("once", "twice")+" and leave it "+m.from("at the door", "with a neighbour", "in the shed"))),
		member("gift", m.from("true", "false", "null")),
		member("weight", strconv.FormatFloat(m.Float64()*20, 'g', 6, 64)),
		member("trace", strconv.Quote(m.word(44))),
		member("retries", strconv.Itoa(m.IntN(5))),
	)
}

// RecordLines gives different records, one a line, of about that many bytes.
func RecordLines(bytes int) []byte {
	m := &maker{rand.New(rand.NewPCG(8785, 3))}
	return Kind{Texts: m.records(bytes, 8)}.Lines()
}

// records come from so many programs that write them, each of which has its own
// order of names and keeps to it; with 0 no order is kept to, as by what walks
// hash tables.
func (m *maker) records(bytes, programs int) []string {
	var out []string
	for n := 0; n < bytes; {
		order := m.Rand
		if programs > 0 {
			order = rand.New(rand.NewPCG(8785, 100+m.Uint64N(uint64(programs))))
		}
		one := m.record(order)
		out = append(out, one)
		n += len(one) + 1
	}
	return out
}

// payload is a small request with some lines.
func (m *maker) payload(lines int) string {
	items := make([]string, lines)
	for i := range items {
		items[i] = m.unsorted(
			member("sku", strconv.Quote("A-"+m.word(6))),
			member("qty", strconv.Itoa(1+m.IntN(9))),
			member("price", m.amount()),
		)
	}
	return m.unsorted(
		member("tenant", `"acme"`),
		member("cart", m.unsorted(member("id", strconv.Quote("c_"+m.word(6))), member("version", "3"),
			member("lines", "["+strings.Join(items, ",")+"]"))),
		member("note", `"ring twice, please, and leave it at the door"`),
		member("customer", `"Zoë Müller"`),
		member("currency", `"EUR"`),
		member("capture", "true"),
	)
}

// order is a payload with so many lines that it has some 3.75 kB.
func (m *maker) order() string {
	text := m.payload(1)
	for lines := 2; len(text) < 3750; lines++ {
		fixed := &maker{rand.New(rand.NewPCG(8785, 2))}
		text = fixed.payload(lines)
	}
	return text
}

func (m *maker) money(n int) string {
	amounts := make([]string, n)
	for i := range amounts {
		amounts[i] = fmt.Sprintf("%d.%d0", m.IntN(1000), m.IntN(10))
	}
	return "[" + strings.Join(amounts, ",") + "]"
}

// escaped is text whose letters are all written as escapes, as some libraries
// write all that is not ASCII.
func (m *maker) escaped(words int) string {
	out := make([]string, words)
	for i := range out {
		var b strings.Builder
		for range 12 {
			fmt.Fprintf(&b, `\u%04x`, 0x430+m.IntN(32))
		}
		out[i] = `"` + b.String() + `"`
	}
	return "[" + strings.Join(out, ",") + "]"
}

// deep puts objects that are out of order into one another, around a megabyte.
func (m *maker) deep(levels int) string {
	open := strings.Repeat(`{"z":1,"m":`, levels)
	end := strings.Repeat(`,"a":2}`, levels)
	return open + `"` + strings.Repeat("the middle of it all ", 50_000) + `"` + end
}

func (m *maker) wide(names int) string {
	members := make([]string, names)
	for i := range members {
		members[i] = member("name_"+m.word(8)+strconv.Itoa(i), strconv.Itoa(m.IntN(1000)))
	}
	return m.unsorted(members...)
}

// Bytes is how much they are, less the line breaks between them.
func (k Kind) Bytes() int {
	n := 0
	for _, text := range k.Texts {
		n += len(text)
	}
	return n
}

// Lines is what a program reads: one document a line.
func (k Kind) Lines() []byte {
	return []byte(strings.Join(slices.Concat(k.Texts, []string{""}), "\n"))
}
