// Command sbom says what a built program consists of: a CycloneDX 1.6 document,
// made of what the linker wrote into the program itself, so that it names what
// is there and not what was meant to be. The same program gives the same bytes.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.out, "out", "", "the `file` to write")
	flag.StringVar(&o.version, "version", "", "the version of the program, without a v")
	flag.StringVar(&o.date, "date", "", "when it was released, as 2006-01-02T15:04:05Z")
	flag.Parse()
	if flag.NArg() != 1 || o.out == "" || o.version == "" {
		fmt.Fprintln(os.Stderr, "usage: sbom --out FILE --version VERSION [--date TIME] PROGRAM")
		os.Exit(2)
	}
	if err := run(&o, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type options struct{ out, version, date string }

func run(o *options, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	stamp := ""
	if o.date != "" {
		at, err := time.Parse(time.RFC3339, o.date)
		if err != nil {
			return err
		}
		stamp = at.UTC().Format(time.RFC3339)
	}
	text, err := json.MarshalIndent(document(info, sha256.Sum256(content), o.version, stamp), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, append(text, '\n'), 0o644)
}

// bom is a CycloneDX document, as far as it is used here.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"`
	Component component `json:"component"`
}

type component struct {
	Ref        string     `json:"bom-ref"`
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Scope      string     `json:"scope,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licence  `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// document describes a program by what its linker wrote down. Which part needs
// which is not written there: all of them stand below the program.
func document(info *buildinfo.BuildInfo, digest [sha256.Size]byte, version, stamp string) *bom {
	self := component{Type: "application", Name: "idem", Version: version,
		PURL:     purl(info.Main.Path, "v"+version),
		Hashes:   []hash{{"SHA-256", hex.EncodeToString(digest[:])}},
		Licences: []licence{{"Apache-2.0"}},
	}
	self.Ref = self.PURL
	for _, name := range []string{"GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "-trimpath"} {
		for _, s := range info.Settings {
			if s.Key == name {
				self.Properties = append(self.Properties, property{"idem:build:" + strings.TrimPrefix(name, "-"), s.Value})
			}
		}
	}
	std := strings.TrimPrefix(info.GoVersion, "go")
	parts := []component{library("std", std, "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, library(m.Path, m.Version, m.Sum))
	}
	slices.SortFunc(parts, func(a, b component) int { return strings.Compare(a.PURL, b.PURL) })
	below := dependency{Ref: self.Ref}
	for _, p := range parts {
		below.On = append(below.On, p.Ref)
	}
	return &bom{Format: "CycloneDX", Spec: "1.6", Serial: serial(digest, version), Version: 1,
		Metadata: metadata{stamp, self}, Components: parts, Dependencies: []dependency{below}}
}

func library(path, version, sum string) component {
	c := component{Type: "library", Name: path, Version: version, Scope: "required", PURL: purl(path, version)}
	c.Ref = c.PURL
	if sum != "" { // a digest of a list of digests, which go.sum has too: none of a file
		c.Properties = []property{{"idem:go.sum", sum}}
	}
	return c
}

// purl names a module as the package URL specification does: type golang, and
// the path's segments escaped each.
func purl(path, version string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return "pkg:golang/" + strings.Join(segments, "/") + "@" + url.PathEscape(version)
}

// serial makes the document's name of the program and its version, so that it
// differs where they do: a UUID of version 8 (RFC 9562, 5.8).
func serial(digest [sha256.Size]byte, version string) string {
	id := sha256.Sum256(append(digest[:], version...))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
}
