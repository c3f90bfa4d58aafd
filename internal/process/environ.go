package process

import (
	"runtime"
	"strings"
)

// environ is what the program gets: what is inherited, less the secrets, plus
// what the contract adds.
func (c Command) environ() []string {
	env := make([]string, 0, len(c.Environ)+len(c.Env))
	for _, entry := range c.Environ {
		// Windows has entries like "=C:=C:\dir".
		at := strings.IndexByte(entry[min(1, len(entry)):], '=')
		if at >= 0 && !c.denied(entry[:at+1]) {
			env = append(env, entry)
		}
	}
	for _, pair := range c.Env {
		env = append(env, pair[0]+"="+pair[1])
	}
	return env
}

func (c Command) denied(name string) bool {
	for _, secret := range c.Deny {
		if name == secret || runtime.GOOS == "windows" && strings.EqualFold(name, secret) {
			return true
		}
	}
	return false
}
