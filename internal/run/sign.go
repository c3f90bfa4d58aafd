package run

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/idem-toolkit/idem/internal/contract"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/process"
	"github.com/idem-toolkit/idem/internal/trace"
	"github.com/idem-toolkit/idem/internal/wire"
)

// Bounds of the commands that sign.
const (
	signMost   = 10 * time.Second // for one signature
	signAtOnce = 8                // commands that run at the same time
)

// signer makes a credential anew for every attempt, by the contract's command
// (contract-v1, The file: auth: {command, per: attempt}). What it adds may
// differ from attempt to attempt, a time or a nonce; the rest of the request is
// frozen.
//
// The command reads the request on its standard input as it will travel over
// HTTP/1.1, head and body to the last byte, without the lines that it is to
// add; they will stand before Content-Length. Its environment has IDEM_METHOD,
// IDEM_SCHEME (http or https), IDEM_HOST (as in the Host field), IDEM_TARGET
// (path and query), IDEM_KEY (the idempotency key, empty where there is none)
// and IDEM_PRINCIPAL (auth or other_auth). It prints the header's value where
// auth names a header, else whole header lines.
type signer struct {
	live  *Live
	auth  *contract.Auth
	label string        // auth, other_auth
	where string        // in the contract
	slots chan struct{} // shared by both principals
}

// sign gives the header lines for one attempt of a message.
func (s *signer) sign(ctx context.Context, to wire.Endpoint, m wire.Message, key string) ([][2]string, error) {
	raw, err := to.Encode(m)
	if err != nil {
		return nil, err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c := s.live.command(s.auth.Command)
	c.Input = raw
	c.Env = append(c.Env[:len(c.Env):len(c.Env)], s.told(to, m, key)...)
	text, err := s.live.printed(ctx, c, signMost, s.where)
	if err != nil {
		return nil, err
	}
	lines, err := s.live.lines(s.auth, text, s.where, s.label)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if len(trace.Get(m.Header, line[0])) > 0 {
			return nil, problem.New(s.where, "the command of %s makes the header %s, which the request has already", s.label, line[0]).
				WithHint("leave %s out of request.headers, or out of what the command prints", line[0])
		}
	}
	return lines, wire.Message{Method: m.Method, Target: m.Target, Header: lines}.Check()
}

// told is what the command reads in its environment. No secret is in it.
func (s *signer) told(to wire.Endpoint, m wire.Message, key string) [][2]string {
	scheme := "http"
	if to.Secure() {
		scheme = "https"
	}
	return [][2]string{{"IDEM_METHOD", m.Method}, {"IDEM_SCHEME", scheme}, {"IDEM_HOST", to.HostField()},
		{"IDEM_TARGET", to.Join(m.Target)}, {"IDEM_KEY", strings.ReplaceAll(key, "\x00", "")}, {"IDEM_PRINCIPAL", s.label}}
}

// trySigning signs one request that is not sent, so that a command that cannot
// sign is told before anything is.
func (l *Live) trySigning(ctx context.Context, c Credential) error {
	if c.signer == nil || len(l.jobs) == 0 || len(l.jobs[0].Plans) == 0 || len(l.jobs[0].Plans[0].Requests) == 0 {
		return nil
	}
	q := l.jobs[0].Plans[0].Requests[0]
	_, err := c.signer.sign(ctx, l.bases[0], wire.Message{Method: q.Method, Target: q.Target, Header: q.Header, Body: q.Body}, q.Key)
	return err
}

// added gives the header lines that a credential adds to one attempt.
func (c Credential) added(ctx context.Context, to wire.Endpoint, m wire.Message, key string) ([][2]string, error) {
	if c.signer == nil {
		return c.lines, nil
	}
	return c.signer.sign(ctx, to, m, key)
}

// copies makes the copies of a release, each with a credential of its own
// where attempts are signed. All are signed before the first is written, so
// that they still go out together.
func (x *actor) copies(ctx context.Context, ids, targets []string, other bool) ([]wire.Copy, error) {
	out := make([]wire.Copy, len(ids))
	errs := make([]error, len(ids))
	var all sync.WaitGroup
	for i, id := range ids {
		target := targets[i%len(targets)]
		if x.credential(other).signer == nil {
			out[i], errs[i] = x.copy(ctx, id, target, other)
			continue
		}
		all.Go(func() { out[i], errs[i] = x.copy(ctx, id, target, other) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// printed runs a command of the contract and gives what it prints, one final
// line break dropped.
func (l *Live) printed(ctx context.Context, c process.Command, within time.Duration, where string) (string, error) {
	out, err := process.Run(ctx, c, within)
	switch {
	case err != nil:
		return "", problem.New(where, "the credential's command cannot be run: %s", err).
			WithHint("it runs in the contract's folder and reads the request on standard input")
	case out.Exit.Code != 0 || out.Exit.Signal != "":
		return "", problem.New(where, "the credential's command failed (%s)%s", out.Exit, l.mask.Text(out.LastWords())).
			WithHint("run it by hand in the contract's folder; it must end with exit 0")
	case out.More:
		return "", problem.New(where, "the credential's command printed more than %d bytes", process.MaxOutput)
	}
	return l.credentialText(out.Stdout, where)
}
