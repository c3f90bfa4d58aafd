package zoo

import (
	"fmt"
	"strings"
)

// exports are the variables that contracts read, each with a value that works
// on one's own machine.
var exports = []struct{ name, value, what string }{
	{EnvProgram, "idem", "this program"},
	{EnvAddress, "127.0.0.1:8081", "where it is served: a free port"},
	{EnvReplica, "127.0.0.1:8082", "where its second replica is: another"},
	{EnvStore, "sqlite:zoo.db", "a file beside this one"},
	{EnvDSN, "postgres://user@127.0.0.1:5432/database", "a database of your own"},
	{EnvToken, "one-caller", "any text"},
	{EnvOther, "another-caller", "any other text"},
}

// manual says as comment lines how a contract, whose text is given, is used:
// the variables that it reads, and how its service is started where it does
// not start it itself.
func (v Variant) manual(on Store, text string) string {
	var b strings.Builder
	starts := strings.Contains(text, "process: {command:")
	command := shell(v.Command(on))
	b.WriteString("#\n# It reads these variables; with them set, idem verify FILE --live checks it:\n")
	for _, e := range exports {
		if strings.Contains(text+command, e.name) {
			fmt.Fprintf(&b, "#   %-52s # %s\n", "export "+e.name+"="+e.value, e.what)
		}
	}
	if starts {
		b.WriteString("# It starts the service itself: nothing else may answer there.\n")
	} else {
		b.WriteString("# Start the service yourself before:\n#   " + command + "\n")
	}
	b.WriteString("\n")
	return b.String()
}

// shell writes a command for a POSIX shell: what is no plain word is quoted,
// with its variables left to the shell.
func shell(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,") != "" {
			word = `"` + word + `"`
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}
