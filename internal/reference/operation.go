package reference

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Operation is a charge or refund as asked for.
type Operation struct {
	OrderID  string
	Amount   int64 // minor units
	Currency string
	Declined bool          // payment_method "declined": the handler answers 402
	Shape    string        // answer: "full", "minimal", "redirect", "large"
	Work     time.Duration // work_ms: how long the handler takes, besides --work
	Echo     map[string]json.RawMessage
}

// invalid is a member of the body that was refused.
type invalid struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

const (
	maxAmount = 99_999_999_999
	maxWork   = 60_000 // milliseconds
	maxOrder  = 64     // characters of an order id
)

// echoed are the members that are taken as they are and given back.
var echoed = []string{"description", "note", "ref", "customer", "metadata"}

// parseOperation reads a canonical JSON object. Every member that is missing,
// unknown or wrong is named.
func parseOperation(object []byte) (Operation, []invalid) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return Operation{}, []invalid{{"", "not a JSON object"}}
	}
	op := Operation{Shape: "full", Echo: map[string]json.RawMessage{}}
	var wrong []invalid
	for _, name := range []string{"order_id", "amount", "currency"} {
		if _, ok := members[name]; !ok {
			wrong = append(wrong, invalid{"/" + name, "is required"})
		}
	}
	for name, value := range members {
		if detail := op.set(name, value); detail != "" {
			wrong = append(wrong, invalid{"/" + pointerEscape.Replace(name), detail})
		}
	}
	slices.SortFunc(wrong, func(a, b invalid) int { return strings.Compare(a.Pointer, b.Pointer) })
	return op, wrong
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// set takes one member; the answer says what is wrong with it.
func (op *Operation) set(name string, value json.RawMessage) string {
	switch name {
	case "order_id":
		if json.Unmarshal(value, &op.OrderID) != nil || !orderID(op.OrderID) {
			return "must be a text of 1 to 64 characters without control characters"
		}
	case "amount":
		n, ok := whole(value, 1, maxAmount)
		if op.Amount = n; !ok {
			return "must be a whole number of minor units from 1 to 99999999999"
		}
	case "currency":
		if json.Unmarshal(value, &op.Currency) != nil || !isCurrency(op.Currency) {
			return "must be three capital letters"
		}
	case "payment_method":
		method := text(value)
		if op.Declined = method == "declined"; !op.Declined && method != "ok" {
			return `must be "ok" or "declined"`
		}
	case "answer":
		if op.Shape = text(value); !slices.Contains([]string{"full", "minimal", "redirect", "large"}, op.Shape) {
			return `must be "full", "minimal", "redirect" or "large"`
		}
	case "work_ms":
		n, ok := whole(value, 0, maxWork)
		if op.Work = time.Duration(n) * time.Millisecond; !ok {
			return "must be a whole number of milliseconds from 0 to 60000"
		}
	default:
		if !slices.Contains(echoed, name) {
			return "is not a member of this operation"
		}
		op.Echo[name] = value
	}
	return ""
}

func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// whole reads a number in its canonical spelling.
func whole(value json.RawMessage, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	return n, err == nil && n >= least && n <= most
}

// isCurrency takes three capital letters.
func isCurrency(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func orderID(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxOrder && !strings.ContainsFunc(s, unicode.IsControl)
}

// Kinds of payments; each is also the resource's name in its path.
const (
	Charge = "charge"
	Refund = "refund"
)

// Payment is a charge or refund that was made. Its JSON form is kept as the
// intent of an effect elsewhere, so that whoever finishes it gives the same
// answer.
type Payment struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Caller   string          `json:"caller"`
	OrderID  string          `json:"order_id"`
	Amount   int64           `json:"amount"`
	Currency string          `json:"currency"`
	Shape    string          `json:"shape"`
	Created  time.Time       `json:"created"`
	Doc      json.RawMessage `json:"doc"` // the resource as shown
}

// Effect is money that moved.
type Effect struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	OrderID   string    `json:"order_id"`
	Amount    int64     `json:"amount"`
	Currency  string    `json:"currency"`
	PaymentID string    `json:"payment_id"`
	Created   time.Time `json:"created"`
}

// NewPayment is the payment that a call asks for, not yet made.
func NewPayment(call *Call, now time.Time) Payment {
	op := call.Operation
	p := Payment{
		ID:   map[string]string{Charge: "ch_", Refund: "re_"}[call.Kind] + strings.ToLower(rand.Text()),
		Kind: call.Kind, Caller: call.Caller,
		OrderID: op.OrderID, Amount: op.Amount, Currency: op.Currency,
		Shape: op.Shape, Created: now.UTC().Truncate(time.Millisecond),
	}
	p.Doc = p.document(op)
	return p
}

// document is the resource as shown, with the members given back.
func (p Payment) document(op Operation) json.RawMessage {
	var b bytes.Buffer
	member := func(name string, value any) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.Write(marshal(name))
		b.WriteByte(':')
		b.Write(marshal(value))
	}
	member("id", p.ID)
	member("object", p.Kind)
	member("order_id", p.OrderID)
	member("amount", p.Amount)
	member("currency", p.Currency)
	member("status", "succeeded")
	member("created", p.Created)
	for _, name := range echoed {
		if value, ok := op.Echo[name]; ok {
			member(name, value)
		}
	}
	if op.Shape == "large" {
		member("statement", strings.Repeat("One line of a long statement.\n", largeLines))
	}
	return json.RawMessage("{" + b.String() + "}")
}

// largeLines makes a large answer about 300 kB, above every limit at which
// stores are known to drop one.
const largeLines = 10_000

// Effect is the movement of money that the payment stands for.
func (p Payment) Effect() *Effect {
	return &Effect{
		ID: "ef_" + strings.ToLower(rand.Text()), Kind: p.Kind, OrderID: p.OrderID,
		Amount: p.Amount, Currency: p.Currency, PaymentID: p.ID, Created: p.Created,
	}
}

// Path is where the payment can be read.
func (p Payment) Path() string { return "/v1/" + p.Kind + "s/" + p.ID }

// Answer is what the caller who made the payment gets.
func (p Payment) Answer() Answer {
	location := Field{"Location", p.Path()}
	switch p.Shape {
	case "minimal":
		return Answer{Status: 204, Header: []Field{location}}
	case "redirect":
		return Answer{Status: 303, Header: []Field{location}}
	}
	return Answer{Status: 201, Header: []Field{{"Content-Type", "application/json"}, location}, Body: p.Doc}
}

// marshal is JSON without HTML escapes; what is passed here always has a form.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("reference: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
