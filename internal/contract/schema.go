package contract

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of the contract file, for editors.
// It knows the file's shape; what its parts must agree on, Parse alone does.
//
//go:embed schema.json
var Schema []byte
