package contract

import (
	"strings"

	"github.com/idem-toolkit/idem/internal/document"
)

// flow writes a value as YAML on one line, as people write contracts.
func flow(n *document.Node) string {
	switch n.Kind {
	case document.Array:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = flow(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case document.Object:
		members := make([]string, len(n.Members))
		for i, m := range n.Members {
			members[i] = flowText(m.Name) + ": " + flow(m.Value)
		}
		return "{" + strings.Join(members, ", ") + "}"
	case document.String:
		return flowText(n.Text)
	}
	return string(n.JSON())
}

// flowText leaves a text bare only where YAML cannot take it for anything
// else: letters first, then what has no meaning of its own in a flow.
func flowText(s string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/"
	n := document.Node{Kind: document.String, Text: s}
	if s == "" || !strings.Contains(bare, s[:1]) || strings.Trim(s, bare+"0123456789_-.") != "" {
		if d, ok := ParseDuration(s); ok && d > 0 {
			return s
		}
		return string(n.JSON())
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return string(n.JSON())
	}
	return s
}
