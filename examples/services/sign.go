package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Where a signature travels, and the variable with the secret that both sides
// share. It is never an argument: every process of a machine sees those.
const (
	secretVariable = "SIGNING_SECRET"
	scheme         = "HMAC-SHA256"
	timeHeader     = "X-Timestamp"
	nonceHeader    = "X-Nonce"
)

// signature signs what must not be changed on the way. A time and a nonce are
// part of it, so that no two attempts have the same.
func signature(secret, method, target, at, nonce string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, part := range []string{method, target, at, nonce} {
		fmt.Fprintf(mac, "%s\n", part)
	}
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// sign reads a request as it will travel and prints the header lines to add:
// what a contract names under auth: {command: [...], per: attempt}.
func sign(in io.Reader, out io.Writer, getenv func(string) string) error {
	secret := getenv(secretVariable)
	if secret == "" {
		return errors.New("the environment variable " + secretVariable + " is not set")
	}
	r, err := http.ReadRequest(bufio.NewReader(in))
	if err != nil {
		return fmt.Errorf("no request on standard input: %w", err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("the request's body is cut off: %w", err)
	}
	at, nonce := strconv.FormatInt(time.Now().Unix(), 10), newID("")
	_, err = fmt.Fprintf(out, "%s: %s\n%s: %s\nAuthorization: %s %s\n", timeHeader, at, nonceHeader, nonce,
		scheme, signature(secret, r.Method, r.RequestURI, at, nonce, body))
	return err
}
