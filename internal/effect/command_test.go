package effect

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
)

func command(t *testing.T, w World, how string, args ...string) Counter {
	t.Helper()
	w.Command.Env = append(w.Command.Env, [2]string{"TEST_COUNTER", how})
	return open(t, w, &contract.Effects{Kind: contract.ByCommand, Command: append([]string{os.Args[0]}, args...)})
}

func TestCommandCounts(t *testing.T) {
	w := world(t, "")
	wants(t, command(t, w, "args", "order", "{fresh:/ref}"), order, 17)
	wants(t, command(t, w, "env"), order, 17)
	odd := Subject{Values: map[string]string{"/a": "; echo 5 $(reboot)"}}
	refuses(t, command(t, w, "args", "{fresh:/a}"), odd, "one whole number")
	refuses(t, command(t, w, "args", "{fresh:/none}"), order, "/none")
}

func TestCommandPrintsOneWholeNumber(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "12\n": 12, "  3\r\n": 3} {
		w := world(t, "")
		w.Command.Env = [][2]string{{"TEST_TEXT", text}}
		wants(t, command(t, w, "print"), order, want)
	}
	for _, text := range []string{"", "\n", "x", "-1", "1.0", "1 2", "1\n2", "+1", "01", "1e3", "s3cr3t", "99999999999999999999"} {
		w := world(t, "")
		w.Command.Env = [][2]string{{"TEST_TEXT", text}}
		refuses(t, command(t, w, "print"), order)
	}
	refuses(t, command(t, world(t, ""), "flood"), order, "more than one")
}

func TestCommandTellsWhatItPrinted(t *testing.T) {
	w := world(t, "")
	w.Command.Env = [][2]string{{"TEST_TEXT", "none"}}
	c := command(t, w, "print", "{fresh:/order_id}").(Witness)
	if _, seen, err := c.Look(background, order); err == nil || seen != "ran "+os.Args[0]+" o-1, which printed none" {
		t.Errorf("%q, %v", seen, err)
	}
	if _, seen, err := command(t, world(t, ""), "flood").(Witness).Look(background, order); err == nil || seen != "ran "+os.Args[0] {
		t.Errorf("%.100q, %v", seen, err)
	}
}

func TestCommandFails(t *testing.T) {
	w := world(t, "")
	w.Command.Mask = func(s string) string { return strings.ReplaceAll(s, "s3cr3t", "«auth»") }
	refuses(t, command(t, w, "fail"), order, "exit 3", "no such table", "«auth»")
	refuses(t, open(t, w, &contract.Effects{Kind: contract.ByCommand, Command: []string{"./none", "s3cr3t"}}), order, "cannot start")
	w.Timeout = 100 * time.Millisecond
	refuses(t, command(t, w, "hang"), order, "did not end within 100ms")
	w.Timeout = time.Minute
	ctx, cancel := context.WithCancel(background)
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := command(t, w, "hang").Count(ctx, order); err == nil || ctx.Err() == nil {
		t.Errorf("after the end: %v, %v", err, errors.Is(err, context.Canceled))
	}
	if _, err := NewSet(w).Open(&contract.Effects{Kind: contract.ByCommand}); err == nil {
		t.Error("opened an empty command")
	}
}

func TestCommandInheritsNoSecret(t *testing.T) {
	w := world(t, "")
	w.Command.Environ = append(w.Command.Environ, "API_TOKEN=s3cr3t", "KEY=s3cr3t")
	wants(t, command(t, w, "secrets"), order, 2)
	w.Command.Deny = []string{"API_TOKEN", "KEY"}
	wants(t, command(t, w, "secrets"), order, 0)
}
