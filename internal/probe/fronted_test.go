package probe

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/trace"
)

func TestAnswersSayWhoPassedThemOn(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"Server", "nginx/1.22.1", "Server: nginx"},
		{"server", "nginx", "Server: nginx"},
		{"Server", "openresty/1.25.3 (Debian)", "Server: openresty"},
		{"Server", "Google Frontend", "Server: google frontend"},
		{"Via", "1.1 a-name-that-is-not-repeated", "Via"},
		{"Server", "nginxish", ""},
		{"Server", "flywheel/2", ""},
		{"Server", "uvicorn", ""},
		{"Server", "", ""},
		{"X-Server", "nginx", ""},
	} {
		x := &Exchange{Answer: &trace.Answer{Outcome: trace.Answered, Status: 201, Header: [][2]string{{c.name, c.value}}}}
		if got := frontOf(x); got != c.want {
			t.Errorf("%s: %s: told as %q, want %q", c.name, c.value, got, c.want)
		}
		j := &judging{}
		j.tellFront(&raceTally{all: []raced{{race: []*Exchange{{}, x, x}}}})
		if told := len(j.result.Notes) == 1; told != (c.want != "") || told && !strings.Contains(j.result.Notes[0], c.want) {
			t.Errorf("%s: %s: noted %q", c.name, c.value, j.result.Notes)
		}
	}
	if frontOf(&Exchange{}) != "" {
		t.Error("no answer says nothing")
	}
}
