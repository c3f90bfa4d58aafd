package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/bench/figures"
)

type shown struct {
	Figure int `json:"figure"`
}

func (s shown) Print(to io.Writer) error {
	_, err := fmt.Fprintf(to, "| figure | %d |\n", s.Figure)
	return err
}

func TestShow(t *testing.T) {
	for want, o := range map[string]Options{"| figure | 7 |\n": {}, "{\n  \"figure\": 7\n}\n": {JSON: true}} {
		var b strings.Builder
		if err := o.Show(&b, shown{7}); err != nil || b.String() != want {
			t.Errorf("%+v: %q %v", o, b.String(), err)
		}
	}
}

func TestExit(t *testing.T) {
	gates := []figures.Gate{{What: "one", Want: 1}, {What: "two"}, {What: "three", None: true}}
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{nil, 0, ""},
		{Options{}.Judge(gates), 0, ""},
		{Options{Gates: true}.Judge(gates[1:2]), 0, ""},
		{Options{Gates: true}.Judge(gates), 1, "missed: one; three\n"},
		{fmt.Errorf("%w: here", ErrDiffers), 1, "what is written differs: here\n"},
		{errors.New("nothing to measure"), 4, "nothing to measure\n"},
	} {
		var b strings.Builder
		if code := Exit(c.err, &b); code != c.code || b.String() != c.says {
			t.Errorf("%v: exit %d, %q", c.err, code, b.String())
		}
	}
}

func TestRefuse(t *testing.T) {
	for line, want := range map[string]struct {
		code int
		says string
	}{
		"--help":         {0, "little of it"},
		"--nope":         {2, "not defined"},
		"--short x":      {2, `unexpected argument "x"`},
		"--json --gates": {-1, ""},
		"":               {-1, ""},
	} {
		var o Options
		var b bytes.Buffer
		code := -1
		if err := Parse(o.Flags("test", "little of it", &b), strings.Fields(line)); err != nil {
			code = Refuse(err, &b)
		}
		if code != want.code || !strings.Contains(b.String(), want.says) || o.Gates != strings.Contains(line, "gates") {
			t.Errorf("%q: exit %d, %q, %+v", line, code, b.String(), o)
		}
	}
}
