// Command moov is a charges API whose idempotency is the package idempotent of
// moov-io/base with its in-memory recorder. Its effects are lines in a file, so
// that they can be counted from outside and outlive the process.
//
//	PORT=8089 EFFECTS_FILE=effects.txt moov
package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/moov-io/base/idempotent"
	"github.com/moov-io/base/idempotent/lru"
)

// charge is request and answer in one; amount and currency are echoed as they came.
type charge struct {
	ID       string          `json:"id"`
	OrderID  string          `json:"order_id"`
	Amount   json.RawMessage `json:"amount,omitempty"`
	Currency json.RawMessage `json:"currency,omitempty"`
}

// server makes charges and refunds.
type server struct {
	recorder    idempotent.Recorder
	effects     *os.File
	afterEffect time.Duration
	failed      sync.Map // order ids that failed once, as the test asked
}

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "moov:", err)
		os.Exit(1)
	}
}

func serve() error {
	afterEffect, err := strconv.Atoi(env("AFTER_EFFECT_MS", "40"))
	if err != nil {
		return fmt.Errorf("AFTER_EFFECT_MS: %w", err)
	}
	effects, err := os.OpenFile(os.Getenv("EFFECTS_FILE"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("EFFECTS_FILE: %w", err)
	}
	s := &server{recorder: lru.New(), effects: effects, afterEffect: time.Duration(afterEffect) * time.Millisecond}
	http.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	http.HandleFunc("POST /v1/charges", s.once("ch_", ""))
	http.HandleFunc("POST /v1/refunds", s.once("re_", "refund "))
	return http.ListenAndServe(net.JoinHostPort("127.0.0.1", env("PORT", "8089")), nil)
}

// once asks the package first, and leaves a request alone that it has seen.
func (s *server) once(prefix, effect string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, seen := idempotent.FromRequest(r, s.recorder); seen {
			idempotent.SeenBefore(w)
			return
		}
		var ch charge
		if err := json.NewDecoder(r.Body).Decode(&ch); err != nil || !oneLine(ch.OrderID) {
			http.Error(w, "order_id must be a text of one line", http.StatusBadRequest)
			return
		}
		if string(ch.Amount) == "0" {
			http.Error(w, "nothing to pay", http.StatusPaymentRequired)
			return
		}
		if _, again := s.failed.LoadOrStore(ch.OrderID, true); !again && r.Header.Get("X-Test-Fail") == "once" {
			http.Error(w, "failed, as the test asked", http.StatusInternalServerError)
			return
		}
		if err := s.write(effect + ch.OrderID); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		work, _ := strconv.Atoi(r.Header.Get("X-Test-Work-Ms"))
		time.Sleep(max(s.afterEffect, time.Duration(work)*time.Millisecond))
		ch.ID = prefix + rand.Text()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(ch)
	}
}

// write is the effect: one whole line, on disk before the answer.
func (s *server) write(line string) error {
	if _, err := s.effects.WriteString(line + "\n"); err != nil {
		return err
	}
	return s.effects.Sync()
}

func oneLine(s string) bool { return s != "" && !strings.ContainsAny(s, "\r\n") }

func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}
