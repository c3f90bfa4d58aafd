package pack

import (
	"strconv"
	"strings"
)

// n8nName is where the workflow stands in a pack.
const n8nName = "n8n/workflow.json"

// The names of the workflow's nodes.
const (
	startNode    = "Start"
	payloadNode  = "Payload"
	contractNode = "Recipe and contract"
	settingsNode = "Settings"
	identityNode = "Identity and fingerprints"
	partsNode    = "Six parts"
	switchNode   = "Is it a dry run?"
	nothingNode  = "Nothing was sent"
	sendNode     = "Send"
)

// object is JSON whose members n8n does not order.
type object = map[string]any

// n8nWorkflow is a workflow as n8n imports it; its database takes none without
// id and versionId.
type n8nWorkflow struct {
	ID          string    `json:"id"`
	VersionID   string    `json:"versionId"`
	Name        string    `json:"name"`
	Active      bool      `json:"active"`
	Nodes       []n8nNode `json:"nodes"`
	Connections object    `json:"connections"`
	Settings    object    `json:"settings"`
	PinData     object    `json:"pinData"`
}

type n8nNode struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Type        string  `json:"type"`
	TypeVersion float64 `json:"typeVersion"`
	Position    [2]int  `json:"position"`
	Parameters  object  `json:"parameters"`
	RetryOnFail bool    `json:"retryOnFail,omitempty"`
	MaxTries    int     `json:"maxTries,omitempty"`
	WaitBetween int     `json:"waitBetweenTries,omitempty"` // ms
	Notes       string  `json:"notes,omitempty"`
}

// workflow makes the n8n workflow of a pack.
func workflow(f Filling) (File, error) {
	v := *f.Values.n8n
	parts, err := sixParts(f.Expected, v.contract.Operation)
	if err != nil {
		return File{}, err
	}
	v.contract.SixParts = parts
	nodes, err := n8nNodes(v, string(f.Payload))
	if err != nil {
		return File{}, err
	}
	triple := []string{v.recipe.Namespace, v.recipe.Operation, strconv.Itoa(v.recipe.Version), v.contract.Operation}
	w := n8nWorkflow{
		ID: "idem" + strings.ReplaceAll(uuidOf(triple...), "-", "")[:12], Name: n8nTitle(v.contract.Operation),
		Nodes: nodes, Connections: n8nConnections(),
		// A run that failed is kept, so that n8n can take it up again with the key
		// and the bytes that it had; one that went well leaves no payload behind.
		Settings: object{"executionOrder": "v1", "saveDataErrorExecution": "all", "saveDataSuccessExecution": "none", "saveManualExecutions": false},
		PinData:  object{},
	}
	for i := range w.Nodes {
		w.Nodes[i].ID = uuidOf(append(triple, w.Nodes[i].Name)...)
	}
	content, err := indented(w)
	if err != nil {
		return File{}, err
	}
	w.VersionID = uuidOf(string(content))
	content, err = indented(w)
	return File{Name: n8nName, Content: content}, err
}

// n8nTitle fits the column that n8n keeps it in, of 128 characters.
func n8nTitle(operation string) string {
	title := []rune("Safe retries: " + operation)
	return string(title[:min(len(title), 120)])
}

func n8nNodes(v n8nValues, payload string) ([]n8nNode, error) {
	recipe, err := indented(v.recipe)
	if err != nil {
		return nil, err
	}
	promise, err := indented(v.contract)
	if err != nil {
		return nil, err
	}
	identity, err := identityScript()
	if err != nil {
		return nil, err
	}
	parts, err := scripts.ReadFile("n8n/parts.js")
	if err != nil {
		return nil, err
	}
	return []n8nNode{
		{Name: startNode, Type: base("manualTrigger"), TypeVersion: 1, Position: at(0, 0), Parameters: object{}},
		setNode(payloadNode, 1, assigned("payload", payload), assigned("inputs", "{}")),
		setNode(contractNode, 2, assigned("recipe", string(recipe)), assigned("contract", string(promise))),
		setNode(settingsNode, 3, assigned("dry_run", true), assigned("secret", "test"),
			assigned("secret_env", v.variable), assigned("fingerprints", "keyed")),
		{Name: identityNode, Type: base("code"), TypeVersion: 2, Position: at(4, 0), Parameters: object{"jsCode": identity}},
		{Name: partsNode, Type: base("code"), TypeVersion: 2, Position: at(5, 0), Parameters: object{"jsCode": string(parts)}},
		{Name: switchNode, Type: base("if"), TypeVersion: 2.2, Position: at(6, 0), Parameters: dryRunCondition()},
		{Name: nothingNode, Type: base("noOp"), TypeVersion: 1, Position: at(7, -1), Parameters: object{}},
		sender(v.timeoutMS),
		note("Note: what to change", 1, 3, "## The payload\nJSON as text, as it will be sent. Put your own trigger before it, and give `payload` the body's text: "+
			"a body that n8n has parsed has lost duplicate names and long numbers.\n\n**Recipe and contract** are those of the pack."),
		note("Note: the switches", 3, 2, "## The switches\n`dry_run` is on: nothing is sent, and the one node that could send is given no address.\n"+
			"`secret` is `test`: the public test secret, with which nothing can be sent. README.md beside this file says how to go live."),
	}, nil
}

func base(kind string) string { return "n8n-nodes-base." + kind }

func at(column, row int) [2]int { return [2]int{column * 220, row * 180} }

// assigned is one field of a Set node: a text, or a switch. A text that began
// with = would be an expression; JSON never does.
func assigned(name string, value any) object {
	kind := "string"
	if _, ok := value.(bool); ok {
		kind = "boolean"
	}
	return object{"id": uuidOf("field", name), "name": name, "type": kind, "value": value}
}

// setNode adds fields to what comes in, over those of the same name.
func setNode(name string, column int, fields ...object) n8nNode {
	return n8nNode{Name: name, Type: base("set"), TypeVersion: 3.4, Position: at(column, 0),
		Parameters: object{"assignments": object{"assignments": fields}, "includeOtherFields": true, "options": object{}}}
}

// dryRunCondition holds unless dry_run is false and nothing else: a value that
// is absent or of another kind sends nothing.
func dryRunCondition() object {
	return object{"conditions": object{
		"options":    object{"caseSensitive": true, "leftValue": "", "typeValidation": "strict", "version": 2},
		"combinator": "and",
		"conditions": []object{{"id": uuidOf("condition"), "leftValue": "={{ $json.dry_run !== false }}", "rightValue": "",
			"operator": object{"type": "boolean", "operation": "true", "singleValue": true}}},
	}, "options": object{}}
}

// sender is the one node that sends. Its retries send the same bytes under the
// same key, and a redirect is not followed.
func sender(timeoutMS int64) n8nNode {
	return n8nNode{Name: sendNode, Type: base("httpRequest"), TypeVersion: 4.2, Position: at(7, 1),
		RetryOnFail: true, MaxTries: 3, WaitBetween: 3000,
		Parameters: object{
			"method": "={{ $json.send.method }}", "url": "={{ $json.send.url }}",
			"sendHeaders": true, "specifyHeaders": "json", "jsonHeaders": "={{ JSON.stringify($json.send.headers) }}",
			"sendBody": true, "contentType": "raw", "rawContentType": "={{ $json.send.content_type }}", "body": "={{ $json.send.body }}",
			"options": object{"redirect": object{"redirect": object{"followRedirects": false}},
				"response": object{"response": object{"fullResponse": true}}, "timeout": timeoutMS},
		}}
}

func note(name string, column, row int, text string) n8nNode {
	return n8nNode{Name: name, Type: base("stickyNote"), TypeVersion: 1, Position: at(column, -row),
		Parameters: object{"content": text, "width": 400, "height": 200}}
}

// n8nConnections are one line, which parts where the switch is.
func n8nConnections() object {
	out := object{}
	line := []string{startNode, payloadNode, contractNode, settingsNode, identityNode, partsNode, switchNode}
	to := func(name string) []object { return []object{{"node": name, "type": "main", "index": 0}} }
	for i := range len(line) - 1 {
		out[line[i]] = object{"main": [][]object{to(line[i+1])}}
	}
	out[switchNode] = object{"main": [][]object{to(nothingNode), to(sendNode)}}
	return out
}
