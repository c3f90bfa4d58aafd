package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// licences gives the licences of all modules that the program is built from,
// on any platform of a release, and of Go itself. A module without one is an
// error: what has no licence cannot be given away.
func licences(folder string) ([]byte, error) {
	modules := map[string]module{}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"} {
		if err := linked(folder, platform, modules); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	out.WriteString("What the program idem is built from, and under which licence each part is given.\nThat of idem itself is in the file LICENSE.\n")
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		texts, err := m.texts()
		if err != nil {
			return nil, err
		}
		for _, text := range texts {
			title := strings.TrimSpace(m.Path+" "+m.Version) + ", " + text.name
			fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", title, strings.Repeat("=", len(title)), strings.TrimSpace(text.content))
		}
	}
	return out.Bytes(), nil
}

// module is one that the program is built from.
type module struct {
	Path, Version, Dir string
	packages           []string // folders of those packages of it that are in the program
}

// linked adds the modules of one platform's build.
func linked(folder, platform string, modules map[string]module) error {
	goos, goarch, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", ".")
	list.Dir = folder
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list for %s: %w", platform, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case p.Standard && modules["Go"].Path == "":
			root, err := exec.Command("go", "env", "GOROOT").Output()
			if err != nil {
				return err
			}
			modules["Go"] = module{Path: "Go", Version: strings.TrimPrefix(runtime.Version(), "go"), Dir: strings.TrimSpace(string(root))}
		case p.Module != nil && !p.Module.Main:
			m := modules[p.Module.Path]
			m.Path, m.Version, m.Dir = p.Module.Path, p.Module.Version, p.Module.Dir
			if !slices.Contains(m.packages, p.Dir) {
				m.packages = append(m.packages, p.Dir)
			}
			modules[p.Module.Path] = m
		}
	}
}

type text struct{ name, content string }

// texts reads a module's licences: those at its root, and those in the folders
// of packages that are in the program, which may be somebody else's.
func (m module) texts() ([]text, error) {
	wanted := regexp.MustCompile(`(?i)^(.*[-_.])?(licen[cs]e|copying|notice|patents|copyright)([-_.].*)?$`)
	folders := []string{m.Dir}
	for _, p := range m.packages {
		for ; len(p) > len(m.Dir); p = filepath.Dir(p) {
			if !slices.Contains(folders, p) {
				folders = append(folders, p)
			}
		}
	}
	slices.Sort(folders)
	var out []text
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !wanted.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			content, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(m.Dir, filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			out = append(out, text{filepath.ToSlash(name), strings.ReplaceAll(string(content), "\r\n", "\n")})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s %s has no licence that is found", m.Path, m.Version)
	}
	return out, nil
}
