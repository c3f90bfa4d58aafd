package probe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/idem-toolkit/idem/internal/probe"
	"github.com/idem-toolkit/idem/internal/trace"
)

// printed is what fingerprints are made of that are not of the whole value:
// each is how some real server goes wrong, but for "header".
func printed(how string, fields map[string]any, q *probe.Request) string {
	var v any = fields
	switch how {
	case "floats":
		v = walked(fields, func(v any) any {
			if n, ok := v.(float64); ok {
				return float32(n)
			}
			return v
		})
	case "outside":
		v = walked(fields, func(v any) any {
			switch v.(type) {
			case []any, map[string]any:
				return nil
			}
			return v
		})
	case "whole numbers", "no sign":
		v = walked(fields, func(v any) any {
			if n, ok := v.(float64); ok && how == "no sign" {
				return math.Abs(n)
			} else if ok {
				return math.Trunc(n)
			}
			return v
		})
	case "truth as numbers":
		v = walked(fields, func(v any) any {
			switch b, _ := v.(bool); {
			case b:
				return 1.0
			case v == any(false):
				return 0.0
			}
			return v
		})
	case "sum", "joined":
		v = summed(fields, how == "sum")
	case "sets":
		v = walked(fields, func(v any) any {
			items, ok := v.([]any)
			if !ok {
				return v
			}
			var texts []string
			for _, item := range items {
				text, _ := json.Marshal(item)
				texts = append(texts, string(text))
			}
			slices.Sort(texts)
			return texts
		})
	case "texts":
		v = walked(fields, func(v any) any {
			switch v.(type) {
			case []any, map[string]any:
				return v
			case nil:
				return ""
			}
			return fmt.Sprint(v)
		})
		for name, text := range v.(map[string]any) {
			if text == "" {
				delete(v.(map[string]any), name)
			}
		}
	case "known members":
		v = []any{fields["order_id"], fields["amount"], fields["currency"]}
	}
	text, _ := json.Marshal(v)
	switch how {
	case "small letters":
		text = []byte(strings.ToLower(string(text)))
	case "no spaces":
		text = []byte(strings.ReplaceAll(string(text), " ", ""))
	case "first bytes":
		text = text[:min(len(text), 512)]
	case "outer white space":
		text = append(text, fmt.Sprint(bytes.HasPrefix(q.Body, []byte(" ")), bytes.HasSuffix(q.Body, []byte("\n")))...)
	case "header":
		text = append(text, strings.Join(trace.Get(q.Header, "X-Branch"), ",")...)
	}
	return string(text)
}

// summed joins the members in the order of their names with nothing between
// them, or the numbers are added.
func summed(fields map[string]any, add bool) string {
	sum, joined := 0.0, ""
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		n, ok := fields[name].(float64)
		switch {
		case ok && add:
			sum += n
		case add:
			joined += fmt.Sprintf("%s=%q;", name, fmt.Sprint(fields[name]))
		default:
			joined += fmt.Sprint(fields[name])
		}
	}
	return joined + fmt.Sprint(sum)
}

// walked copies the members of an object with each value changed, the outer first.
func walked(fields map[string]any, change func(any) any) map[string]any {
	out := map[string]any{}
	for name, v := range fields {
		v = change(v)
		if inner, ok := v.(map[string]any); ok {
			v = walked(inner, change)
		}
		out[name] = v
	}
	return out
}

// unlike says that a call is not the request that a record is of.
func (k *call) unlike(r *record) bool {
	if r.unprinted || !r.done && k.is("waiters are not compared") {
		return false
	}
	return r.print != k.print
}
