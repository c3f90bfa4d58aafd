// Command signer is what tests of signed requests name as the contract's
// command.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() { os.Exit(signAs(os.Getenv("IDEM_TEST_SIGNER"))) }

// signAs signs the bytes on standard input, or fails to in some way.
func signAs(role string) int {
	raw, _ := io.ReadAll(os.Stdin)
	sum := sha256.Sum256(raw)
	nonce := hex.EncodeToString(fmt.Appendf(nil, "%d-%d", os.Getpid(), time.Now().UnixNano()))
	signed := fmt.Sprintf("X-Sig: v1 keyId=%s,sum=%x\nX-Nonce: %s\nX-Time: 1767225600\n", os.Getenv("IDEM_PRINCIPAL"), sum, nonce)
	switch role {
	case "fail":
		fmt.Fprintln(os.Stderr, "no key in the agent")
		return 3
	case "mute":
	case "much":
		fmt.Print(strings.Repeat("X-Much: 0123456789abcdef\n", 4000))
	case "prose":
		fmt.Println("here is your signature")
	case "twice":
		fmt.Println("content-type: text/plain")
	case "framing":
		fmt.Println("Host: elsewhere")
	case "folded":
		fmt.Print("X-Sig: a\x01b\n")
	case "production":
		fmt.Println("Authorization: Bearer sk_live_4f00ba11cafe")
	case "told":
		var told []string
		for _, name := range []string{"METHOD", "SCHEME", "HOST", "TARGET", "KEY", "PRINCIPAL"} {
			told = append(told, os.Getenv("IDEM_"+name))
		}
		fmt.Println("X-Told: " + strings.Join(told, " "))
	case "falters":
		// It works for the first requests and then no more.
		f, err := os.OpenFile(os.Getenv("IDEM_TEST_CALLS"), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return 4
		}
		f.Write([]byte{'.'})
		if info, err := f.Stat(); err != nil || info.Size() > 5 {
			fmt.Fprintln(os.Stderr, "the agent has gone")
			return 3
		}
		fmt.Print(signed)
	default:
		fmt.Print(signed)
	}
	return 0
}
