package pack

import (
	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/determ"
)

// Values are what templates are filled with. Texts are as contract and recipe
// have them, not quoted for anything: every one goes through the quoting
// function for where it stands.
type Values struct {
	Sample  bool   // the fictional sample, which the pattern can serve
	Version string // of the idem that writes the pack: "0.1.0"

	Name      string   // the contract's; "pack" where it has none
	Operation string   // the one whose key the recipe makes: "create-order"
	Ignore    []string // JSON Pointers that its request fingerprint leaves out
	AuthEnv   string   // the variable that holds the credential: "API_TOKEN"; empty where none does

	// Of a live run's environment.
	Secrets  []Variable // credentials and keys
	Settings []Variable // what else the contract leaves open

	// Of the recipe's key.
	Kid       string
	KeyEnv    string // the variable that holds the key; empty where it comes from elsewhere
	KeyFormat string // "idemkey", "hex", "base64" or "raw"
	Makable   bool   // any key of that format will do, and a shell can make one
	Key       KeyFile
	KeyFiles  []KeyFile // of all versions
	Unbrought []string  // where keys are that no workflow brings: "file /etc/k1.key"

	Strict bool // lint has nothing to say of the recipe

	n8n *n8nValues // what the n8n workflow takes as data; nil: the pack has none
}

// ValuesOf gives what a contract and the recipe of one of its operations say.
// version is that of the idem that writes the pack.
func ValuesOf(c *contract.Contract, o *contract.Operation, r *determ.Recipe, version string) Values {
	v := Values{Version: version, Name: c.Name, Operation: o.Name, Ignore: o.Fingerprint.Ignore,
		Kid: r.Key.Kid, KeyEnv: r.Key.Source.Env, KeyFormat: string(r.Key.Format)}
	if v.Name == "" {
		v.Name = "pack"
	}
	if a := c.Target.Auth; a != nil {
		v.AuthEnv = a.Env
	}
	v.ofLive(c, r)
	v.ofKeys(r)
	v.n8n = n8nValuesOf(c, o, r)
	return v
}
