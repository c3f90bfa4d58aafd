package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packed gives a copy of the pack that PACK names, with one file edited.
func packed(t *testing.T, file, old, with string) string {
	t.Helper()
	from := os.Getenv("PACK")
	switch {
	case from == "" && os.Getenv("CI") == "true":
		t.Fatal("needed in CI: PACK names no folder of a pack; .ci/pack does")
	case from == "":
		t.Skip("PACK names no folder of a pack; .ci/pack does")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %s", file, old)
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(string(text), old, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWhatIsWrongIsFound: each of the promises is looked at.
func TestWhatIsWrongIsFound(t *testing.T) {
	for old, c := range map[string]struct{ with, says string }{
		"name: idem-replicas":                 {"name: idem-replicas", ""},
		"read_only: true":                     {"read_only: false", "not read-only"},
		"cap_drop: [ALL]":                     {"cap_drop: [NET_RAW]", "capabilities"},
		"no-new-privileges:true":              {"no-new-privileges:false", "privileges"},
		`"127.0.0.1:8080:8080"`:               {`"8080:8080"`, "other machines"},
		`user: "70:70"`:                       {`user: "0:70"`, "as root"},
		"@sha256:9a8a":                        {"@sha256:", "not pinned"},
		"internal: true":                      {"internal: false", "leads out"},
		"--instance, two":                     {"--instance, two, --retention, 1s", "the replicas differ"},
		"${API_TOKEN:?name":                   {"${API_TOKEN:-name", "without API_TOKEN"},
		"nginx.conf:/etc/nginx/nginx.conf:ro": {"nginx.conf:/etc/nginx/nginx.conf", "what it mounts"},
		"./compose/contract.yaml:":            {"./compose/none.yaml:", "what it mounts"},
		"condition: service_healthy":          {"condition: service_started", "does not wait"},
		"profiles: [check]":                   {"privileged: true", "shares"},
		"pids_limit: 256":                     {"labels: {a: b}", "no bounds"},
		"context: compose":                    {"context: elsewhere", "Dockerfile is not there"},
		"services:":                           {"servicees:", "servicees"},
	} {
		wrong := strings.Join(composition(filepath.Join(packed(t, "compose.yaml", old, c.with), "compose.yaml")), "\n")
		if (wrong == "") != (c.says == "") || !strings.Contains(wrong, c.says) {
			t.Errorf("%s: %q, not %q", old, wrong, c.says)
		}
	}
}

func TestWhatIsWrongWithADockerfileIsFound(t *testing.T) {
	for old, c := range map[string]struct{ with, says string }{
		"FROM scratch":        {"FROM alpine:3.23", "it ends in alpine"},
		"USER 65532:65532\n":  {"", "it runs"},
		"@sha256:":            {":", "not pinned"},
		"COPY --from=build":   {"COPY --from=other", "copies from elsewhere"},
		"ENTRYPOINT [\"/idem": {"ENTRYPOINT [\"/bin/sh", "it runs"},
		"USER":                {"VOLUME /data\nUSER", "the last stage has"},
		"RUN go":              {"RUNN go", "unknown instruction"},
		"ARG IDEM_VERSION":    {"COPY nothing /nothing", "what is not there"},
	} {
		wrong := strings.Join(dockerfile(filepath.Join(packed(t, "compose/Dockerfile", old, c.with), "compose", "Dockerfile")), "\n")
		if !strings.Contains(wrong, c.says) {
			t.Errorf("%s: %q, not %q", old, wrong, c.says)
		}
	}
}
