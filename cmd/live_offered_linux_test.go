package cmd

import (
	"crypto/tls"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestOfferedAndRefused: a server that offers HTTP/1.1 in ALPN and refuses
// whatever comes over it keeps its promise over HTTP/2. It is not accused of what
// copies on connections of their own were told.
func TestOfferedAndRefused(t *testing.T) {
	service := replaying(t)
	for _, status := range []int{http.StatusBadRequest, http.StatusMisdirectedRequest, http.StatusUpgradeRequired, http.StatusHTTPVersionNotSupported} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor < 2 {
				http.Error(w, "not over this protocol", status)
				return
			}
			service.Config.Handler.ServeHTTP(w, r)
		}))
		s.EnableHTTP2, s.TLS = true, &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
		s.StartTLS()
		t.Cleanup(s.Close)
		dir := t.TempDir()
		file, trusted := filepath.Join(dir, "contract.yaml"), filepath.Join(dir, "ca.pem")
		write(t, trusted, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
		write(t, file, strings.Replace(replayingContract, "BASE", s.URL, 1))
		env := []string{"SSL_CERT_FILE=" + trusted}
		for flag, code := range map[string]int{"auto": ExitInconclusive, "2": ExitDone} {
			r := runIdem(t, dir, env, "verify", file, "--live", "--only", "duplicate,concurrent", "--http", flag, "--format", "json")
			if r.code != code {
				t.Fatalf("%d, --http %s: exit %d\n%s%s", status, flag, r.code, r.out, r.err)
			}
			for _, step := range r.steps(t) {
				if len(step.Findings) > 0 || step.Step == "duplicate" && step.Verdict != "pass" {
					t.Errorf("%d, --http %s: %+v", status, flag, step)
				}
				if flag == "auto" && step.Step == "concurrent" && status != 505 && !strings.Contains(step.Reasons[0].Settle, "--http 2") {
					t.Errorf("%d: %+v", status, step.Reasons)
				}
			}
		}
	}
}
