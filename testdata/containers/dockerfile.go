package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// dockerfile says what is wrong with a Dockerfile: it must end in an empty image
// with idem alone, run by nobody, built in an image that is pinned by digest.
func dockerfile(file string) []string {
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, file+": "+fmt.Sprintf(format, args...)) }
	text, err := os.ReadFile(file)
	if err != nil {
		return []string{err.Error()}
	}
	read, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return []string{file + ": " + err.Error()}
	}
	for _, w := range read.Warnings {
		add("%s", w.Short)
	}
	stages, _, err := instructions.Parse(read.AST, nil)
	if err != nil {
		return append(wrong, file+": "+err.Error())
	}
	if len(stages) != 2 {
		add("it has %d stages", len(stages))
		return wrong
	}
	build, last := stages[0], stages[1]
	if !byDigest.MatchString(build.BaseName) {
		add("%s is not pinned by digest", build.BaseName)
	}
	if last.BaseName != "scratch" {
		add("it ends in %s", last.BaseName)
	}
	user, entry := "", ""
	for _, c := range last.Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.EntrypointCommand:
			entry = strings.Join(c.CmdLine, " ")
		case *instructions.CopyCommand:
			if c.From != build.Name {
				add("the last stage copies from elsewhere: %s", c)
			}
		case *instructions.WorkdirCommand:
		default:
			add("the last stage has %s", c.Name())
		}
	}
	if user != "65532:65532" || entry != "/idem" {
		add("it runs %q as %q", entry, user)
	}
	for _, c := range build.Commands {
		copied, ok := c.(*instructions.CopyCommand)
		if !ok {
			continue
		}
		for _, source := range copied.SourcePaths {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), source)); err != nil {
				add("it copies what is not there: %s", source)
			}
		}
	}
	return wrong
}
