package fingerprint

// Kind is what a JSON value is.
type Kind int

// The six kinds of JSON value.
const (
	KindNull Kind = iota
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String gives the JSON word for the kind: "null", "boolean", "number", ...
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "boolean"
	case KindNumber:
		return "number"
	case KindString:
		return "string"
	case KindArray:
		return "array"
	case KindObject:
		return "object"
	}
	return "unknown"
}

// Value is one JSON value as it was read. Only the fields of its kind are set.
type Value struct {
	Kind    Kind
	Bool    bool
	Number  string // the literal as spelled, so that nothing is lost before it is judged
	Str     string // unescaped
	Items   []*Value
	Members []Member // in the order of the text; names are unescaped and differ
	Offset  int64    // where the value starts, in bytes from 0; 0 for values that were built
}

// Member is one name of an object with its value.
type Member struct {
	Name  string
	Value *Value
}

// Object builds an object. Names must differ; Canonical refuses it otherwise.
func Object(members ...Member) *Value {
	return &Value{Kind: KindObject, Members: members}
}

// Array builds an array.
func Array(items ...*Value) *Value {
	return &Value{Kind: KindArray, Items: items}
}

// String builds a string. It must be UTF-8; Canonical refuses it otherwise.
func String(s string) *Value {
	return &Value{Kind: KindString, Str: s}
}

// Null builds a null.
func Null() *Value {
	return &Value{Kind: KindNull}
}

// Member gives the value of a name, or nil where there is none or v is no object.
func (v *Value) Member(name string) *Value {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return nil
}
