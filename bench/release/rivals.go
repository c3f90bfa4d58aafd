package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// vegetaVersion is what is installed where there is no vegeta.
const vegetaVersion = "v12.13.0"

// rivals are tools that send many requests at once. What is not here, and
// cannot be got, is said and left out.
type rivals struct {
	plain, secure []way
	missing       []string
}

func findRivals(ctx context.Context, folder string, install bool) rivals {
	var r rivals
	if curl, err := exec.LookPath("curl"); err == nil {
		r.plain = append(r.plain, way{"curl --parallel", curlWay{curl, []string{"--http1.1", "--parallel-immediate"}}.release})
		r.secure = append(r.secure, r.plain...)
		if hasHTTP2(ctx, curl) {
			// Over TLS only: with prior knowledge some versions break off where copies
			// share a connection.
			r.secure = append(r.secure, way{"curl --parallel, HTTP/2", curlWay{curl, []string{"--http2"}}.release})
		}
	} else {
		r.missing = append(r.missing, "curl, which is not here")
	}
	vegeta, err := findVegeta(ctx, folder, install)
	if err != nil {
		r.missing = append(r.missing, "vegeta: "+err.Error())
		return r
	}
	http1 := way{"vegeta", vegetaWay{vegeta, []string{"-http2=false"}}.release}
	r.plain = append(r.plain, http1, way{"vegeta, HTTP/2", vegetaWay{vegeta, []string{"-h2c"}}.release})
	r.secure = append(r.secure, http1, way{"vegeta, HTTP/2", vegetaWay{vegeta, []string{"-http2"}}.release})
	return r
}

func hasHTTP2(ctx context.Context, curl string) bool {
	out, err := exec.CommandContext(ctx, curl, "--version").Output()
	return err == nil && bytes.Contains(out, []byte("HTTP2"))
}

// findVegeta takes the one in PATH, else installs one in a folder.
func findVegeta(ctx context.Context, folder string, install bool) (string, error) {
	if path, err := exec.LookPath("vegeta"); err == nil || !install {
		return path, err
	}
	c := exec.CommandContext(ctx, "go", "install", "github.com/tsenart/vegeta/v12@"+vegetaVersion)
	c.Dir = folder // outside of any module
	c.Env = append(os.Environ(), "GOBIN="+folder, "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install: %w: %s", err, bytes.TrimSpace(out))
	}
	return exec.LookPath(filepath.Join(folder, "vegeta"))
}

// curlWay lets one curl send all copies.
type curlWay struct {
	program string
	flags   []string
}

func (c curlWay) release(ctx context.Context, to target, path string, keys []string) error {
	n := strconv.Itoa(len(keys))
	args := append([]string{"-q", "-sS", "--fail", "--parallel", "--parallel-max", n, "-o", os.DevNull,
		"-H", "Content-Type: application/json", "-H", "Idempotency-Key: " + keys[0], "-d", body,
		to.base + path + "?copy=[1-" + n + "]"}, c.flags...)
	if to.roots != "" {
		args = append(args, "--cacert", to.roots)
	}
	return tool(ctx, "", c.program, args)
}

// vegetaWay lets vegeta send all copies as fast as it can, with a worker for
// each; it ends when its list of targets does.
type vegetaWay struct {
	program string
	flags   []string
}

func (v vegetaWay) release(ctx context.Context, to target, path string, keys []string) error {
	n := strconv.Itoa(len(keys))
	args := append([]string{"attack", "-lazy", "-format=json", "-rate=0", "-workers=" + n, "-max-workers=" + n,
		"-connections=" + n, "-output=" + os.DevNull}, v.flags...)
	if to.roots != "" {
		args = append(args, "-root-certs="+to.roots)
	}
	var list bytes.Buffer
	encoder := json.NewEncoder(&list)
	for _, k := range keys {
		encoder.Encode(map[string]any{"method": "POST", "url": to.base + path, "body": []byte(body),
			"header": map[string][]string{"Content-Type": {"application/json"}, "Idempotency-Key": {k}}})
	}
	return tool(ctx, list.String(), v.program, args)
}

func tool(ctx context.Context, stdin, program string, args []string) error {
	c := exec.CommandContext(ctx, program, args...)
	c.Stdin = strings.NewReader(stdin)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, bytes.TrimSpace(out))
	}
	return nil
}
