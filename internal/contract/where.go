package contract

import "fmt"

// Where gives "contract.yaml:12"; for nowhere, the file alone.
func (c *Contract) Where(p Pos) string {
	if p.Line == 0 {
		return c.File
	}
	return fmt.Sprintf("%s:%d", c.File, p.Line)
}

// NotStated says which line is missing: "contract.yaml:30: promise.conflict is
// not stated". p is the Pos of an unknown promise, or of the operation that
// lacks a block.
func (c *Contract) NotStated(p Pos, name string) string {
	return c.Where(p) + ": " + name + " is not stated"
}

// at gives "contract.yaml:12:5", as errors have it.
func at(file string, p Pos) string {
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Column)
}
