// Command fiber is a charges API whose idempotency is the middleware of
// gofiber/fiber with its own memory store and lock. Its effects are lines in a
// file, so that they can be counted from outside and outlive the process.
//
//	PORT=8081 EFFECTS_FILE=effects.txt fiber [-lifetime 5s]
package main

import (
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
)

// charge is request and answer in one; amount and currency are echoed as they came.
type charge struct {
	ID       string          `json:"id"`
	OrderID  string          `json:"order_id"`
	Amount   json.RawMessage `json:"amount,omitempty"`
	Currency json.RawMessage `json:"currency,omitempty"`
}

func main() {
	lifetime := flag.Duration("lifetime", 5*time.Second, "how long an answer is kept, in whole seconds")
	flag.Parse()
	if err := serve(*lifetime); err != nil {
		fmt.Fprintln(os.Stderr, "fiber:", err)
		os.Exit(1)
	}
}

func serve(lifetime time.Duration) error {
	afterEffect, err := strconv.Atoi(env("AFTER_EFFECT_MS", "40"))
	if err != nil {
		return fmt.Errorf("AFTER_EFFECT_MS: %w", err)
	}
	effects, err := os.OpenFile(os.Getenv("EFFECTS_FILE"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("EFFECTS_FILE: %w", err)
	}

	startEarlyInASecond()
	app := fiber.New()
	app.Get("/healthz", func(c fiber.Ctx) error { return c.SendString("ok") })
	app.Use(idempotency.New(idempotency.Config{KeyHeader: "Idempotency-Key", Lifetime: lifetime}))
	app.Post("/v1/charges", func(c fiber.Ctx) error {
		var ch charge
		if err := json.Unmarshal(c.Body(), &ch); err != nil || !oneLine(ch.OrderID) {
			return fiber.NewError(fiber.StatusBadRequest, "order_id must be a text of one line")
		}
		if err := charged(effects, ch.OrderID); err != nil {
			return err
		}
		time.Sleep(time.Duration(afterEffect) * time.Millisecond)
		ch.ID = "ch_" + rand.Text()
		return c.Status(fiber.StatusCreated).JSON(ch)
	})
	return app.Listen(net.JoinHostPort("127.0.0.1", env("PORT", "8081")), fiber.ListenConfig{DisableStartupMessage: true})
}

// startEarlyInASecond keeps the middleware's lifetime within one second of
// what is asked for. Its store reads the whole second of the wall clock once a
// second, from now on; started late in a second, one late reading would skip
// to the next, and a key would be forgotten up to two seconds early.
func startEarlyInASecond() {
	const early = 700 * time.Millisecond
	if into := time.Duration(time.Now().Nanosecond()); into > early {
		time.Sleep(time.Second - into)
	}
}

// charged is the effect: one whole line, on disk before the answer.
func charged(effects *os.File, order string) error {
	if _, err := effects.WriteString(order + "\n"); err != nil {
		return err
	}
	return effects.Sync()
}

func oneLine(s string) bool { return s != "" && !strings.ContainsAny(s, "\r\n") }

func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}
