package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/testneed"
)

// What people type in a shell, and what it makes of it: each script is loaded
// by the shell that it is for, and asked as a key asks it. There is no
// PowerShell in Debian: its script is only seen to be written.

// inShell runs a script with the completions of that shell in the file that
// its first argument names, and gives what it printed.
func inShell(t *testing.T, shell, script string, options ...string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the shells are of Unix")
	}
	program, dir := testneed.Program(t, shell), t.TempDir()
	written := runIdem(t, dir, nil, "completion", shell)
	if written.code != ExitDone || written.out == "" {
		t.Fatalf("idem completion %s: exit %d\n%s", shell, written.code, written.err)
	}
	file := filepath.Join(dir, "idem."+shell)
	if err := os.WriteFile(file, []byte(written.out), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, append(options, "-c", script, shell, file)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+filepath.Dir(buildIdem(t))+string(os.PathListSeparator)+os.Getenv("PATH"),
		"HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "TERM=dumb")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

// lines that each shell is asked about, and what must be among its answers.
var completed = []struct{ line, word string }{
	{"idem ver", "verify"},
	{"idem recipe li", "lint"},
	{"idem verify --require-eff", "--require-effects"},
	{"idem verify --format j", "junit"},
	{"idem explain duplicate/effect-ran", "duplicate/effect-ran-twice"},
	{"idem profile show strip", "stripe"},
}

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	testneed.File(t, "/usr/share/bash-completion/bash_completion")
	// The script stands on Debian's bash-completion, as most do. It is called as
	// readline calls it: the words, where the cursor is, the line.
	script := `. /usr/share/bash-completion/bash_completion && . "$1"
ask() {
	COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
	read -ra COMP_WORDS <<<"$1"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
	__start_idem idem "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	printf '%s: %s\n' "$1" "${COMPREPLY[*]}"
}
complete -p idem
`
	for _, c := range completed {
		script += "ask '" + c.line + "'\n"
	}
	answers(t, inShell(t, "bash", script, "--norc", "--noprofile"))
}

func TestFishCompletes(t *testing.T) {
	t.Parallel()
	script := "source $argv[2]\n" // the first is the shell's name
	for _, c := range completed {
		script += "echo '" + c.line + ":' (complete --do-complete='" + c.line + "')\n"
	}
	answers(t, inShell(t, "fish", script, "--no-config"))
}

func TestZshCompletes(t *testing.T) {
	t.Parallel()
	// zsh completes in its line editor alone, so a terminal is made for one
	// that types the line and a tab, and shows the line that came of it.
	script := `
zmodload zsh/zpty
zpty inner zsh -f -i
typed() { zpty -w inner "$1" }
typed 'PS1= PS2= RPS1=; unsetopt ZLE_RPROMPT_INDENT PROMPT_SP PROMPT_CR; autoload -Uz compinit; compinit -u -D; . '"${(q)1}"'; compdef _idem idem; setopt NO_BEEP NO_ALWAYS_LAST_PROMPT LIST_AMBIGUOUS'
typed 'show() { print -r -- "[""line: $BUFFER]"; BUFFER=; zle .accept-line }; zle -N show; bindkey "^X" show'
ask() {
	zpty -n -w inner "$1"$'\t\x18'
	zpty -r -m inner answer '*\[line: *\]*'
	print -r -- "$1: ${${answer##*\[line: }%%\]*}"
}
`
	for _, c := range completed {
		if c.word == "junit" || c.word == "stripe" {
			continue // others begin so too, and are only listed
		}
		script += "ask '" + c.line + "'\n"
	}
	script += "ask 'idem verify --format ju'\nzpty -d inner\n"
	got := inShell(t, "zsh", script, "-f")
	if !strings.Contains(got, "--format ju: idem verify --format junit") {
		t.Errorf("a flag's value is not completed:\n%s", got)
	}
	for _, c := range completed {
		if c.word != "junit" && c.word != "stripe" {
			answered(t, got, c.line, c.word)
		}
	}
}

func answers(t *testing.T, said string) {
	t.Helper()
	for _, c := range completed {
		answered(t, said, c.line, c.word)
	}
}

func answered(t *testing.T, said, line, word string) {
	t.Helper()
	for got := range strings.Lines(said) {
		if answer, ok := strings.CutPrefix(got, line+":"); ok {
			for offered := range strings.FieldsSeq(answer) {
				if offered == word {
					return
				}
			}
			t.Errorf("%s: %s is not among%s", line, word, answer)
			return
		}
	}
	t.Errorf("%s: no answer\n%s", line, said)
}

func TestPowerShellScriptIsWritten(t *testing.T) {
	got := runIdem(t, t.TempDir(), nil, "completion", "powershell")
	if got.code != ExitDone || !strings.Contains(got.out, "Register-ArgumentCompleter -CommandName 'idem'") {
		t.Errorf("exit %d\n%.400s%s", got.code, got.out, got.err)
	}
}
