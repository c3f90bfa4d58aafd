package cmd

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/determ"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/reference"
)

type serveOptions struct {
	reference.Options

	listen    string
	listenAny bool
	store     string
	storeEnv  string
	replicas  []string
	tls       string // the PEM file of certificate and key; empty: http
	balance   string
	drain     time.Duration
	post      string
	health    string // the URL to ask, instead of serving

	zoo zooOptions
}

func newServeCmd(app *App) *cobra.Command {
	o := &serveOptions{Options: reference.Defaults()}
	c := &cobra.Command{
		Use:   "serve",
		Short: "run the reference service: a fictional charges API that keeps its idempotency contract",
		Long: `Serve runs a fictional charges API, to try verifiers and clients on. It moves no
money and is a demonstration, not a product to build on.

It answers POST /v1/charges, POST /v1/refunds, GET /v1/charges?order_id=,
GET /v1/refunds?order_id=, GET /v1/effects?order_id= (every movement of money)
and GET /healthz. A POST needs the header Idempotency-Key; Authorization: Bearer
TOKEN tells callers apart, any token names one.

Once it listens it says "listening on http://HOST:PORT" on standard output. An
interrupt or SIGTERM stops it after the running requests.

It speaks HTTP/1.1 and HTTP/2: over http to a client that begins with it, over
https (--tls) by ALPN.

With --fault it breaks a promise as real implementations do, with --style it
keeps another one that is as legal: the service that idem verify --self-test is
measured by. --contract prints the contract that such a one is held to.`,
		Example: `  idem serve
  idem serve --fault list
  idem serve --listen 127.0.0.1:0 --store sqlite:charges.db --retention 1h
  DSN=postgres://user:password@db/charges idem serve --store-env DSN --instance a`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return orSample(c, runServe(c.Context(), app, o)) },
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "the address to listen on; port 0 takes a free one")
	f.BoolVar(&o.listenAny, "listen-any", false, "allow --listen on addresses that other machines reach")
	f.StringArrayVar(&o.replicas, "replica", nil, "a further address with a replica of its own on the same store (may be repeated)")
	f.StringVar(&o.tls, "tls", "", "serve https with the certificate and key of this PEM `file`, which is made, self-signed, where it is not there")
	f.StringVar(&o.balance, "balance", "", "have --listen shared by all replicas: turns (each request goes to the next), connections (all of one go to one) or callers (all of a host do)")
	f.StringVar(&o.store, "store", "sqlite:memory", "where records are kept: sqlite:memory, sqlite:PATH, or a postgres:// URL without a password")
	f.StringVar(&o.storeEnv, "store-env", "", "the environment variable that holds the store's address, password included")
	f.StringVar(&o.InFlight, "in-flight", o.InFlight, "what a duplicate meets while the first runs: wait, or reject (409)")
	f.DurationVar(&o.WaitMax, "wait-max", o.WaitMax, "how long a duplicate waits at most")
	f.IntVar(&o.Conflict, "conflict", o.Conflict, "the status for a key that another request used: 400, 409 or 422")
	f.StringVar(&o.Keyless, "keyless", o.Keyless, "requests without a key: reject (400), or execute")
	f.DurationVar(&o.Retention, "retention", o.Retention, "how long a key is remembered, from its first use")
	f.DurationVar(&o.Lease, "lease", o.Lease, "how long a dead owner blocks its key")
	f.DurationVar(&o.Work, "work", o.Work, "how long an operation takes before it commits")
	f.DurationVar(&o.AnswerDelay, "answer-delay", o.AnswerDelay, "time between an operation's commit and its answer")
	f.DurationVar(&o.SweepEvery, "sweep-every", o.SweepEvery, "how often expired records are deleted")
	f.IntVar(&o.SweepBatch, "sweep-batch", o.SweepBatch, "how many records one statement deletes at most")
	f.StringVar(&o.Instance, "instance", "", "this replica's name, sent as X-Served-By")
	f.StringVar(&o.EffectURL, "effect-url", "", "have another service move the money: POST here, with a derived Idempotency-Key")
	f.BoolVar(&o.Admin, "admin", false, "test hooks: POST /admin/advance?seconds=N, POST /admin/store?up=false|true, and the header X-Test-Fail: once|always|panic")
	f.StringVar(&o.post, "post", "", "call the test hook at this `url`, of a service that runs, and serve nothing")
	f.StringVar(&o.health, "healthcheck", "", "ask the service at this `url` whether it serves, exit 1 where it does not, and serve nothing")
	f.DurationVar(&o.drain, "drain", 10*time.Second, "how long running requests may take to finish when stopped")
	c.MarkFlagsMutuallyExclusive("store", "store-env")
	o.zoo.add(c)
	return c
}

func runServe(ctx context.Context, app *App, o *serveOptions) error {
	if done, err := o.zoo.settle(app); done || err != nil {
		return err
	}
	if o.post != "" {
		return postHook(ctx, o.post)
	}
	if o.health != "" {
		return checkHealth(ctx, o.health)
	}
	if err := o.checkAddresses(); err != nil {
		return err
	}
	address, err := o.storeAddress(app)
	if err != nil {
		return err
	}
	if o.tls != "" {
		if o.TLS, err = serveTLS(o.tls, o.addresses()); err != nil {
			return err
		}
	}
	if app.Verbose {
		o.Log = slog.New(slog.NewTextHandler(app.Err, nil))
	}
	store, err := reference.Open(ctx, address)
	if err != nil {
		return err
	}
	if err := serveOn(ctx, app, o, store); err != nil {
		store.Close()
		return err
	}
	if err := store.Close(); err != nil {
		return problem.New("--store", "closing failed: %s", err)
	}
	return nil
}

// storeAddress is the store's address; its password, if it has one, never was
// an argument.
func (o *serveOptions) storeAddress(app *App) (string, error) {
	if o.storeEnv == "" {
		if reference.HasPassword(o.store) {
			return "", problem.New("--store", "the address holds a password, which every process list shows").
				WithHint("put the address into an environment variable and name that: --store-env NAME")
		}
		return o.store, nil
	}
	return databaseAddress(app, o.storeEnv)
}

// databaseAddress is the address in the environment variable that --store-env
// names.
func databaseAddress(app *App, name string) (string, error) {
	if !determ.IsEnvName(name) {
		return "", problem.New("--store-env", "this takes the name of an environment variable, not a value").
			WithHint("--store-env CHARGES_DSN")
	}
	address, ok := app.LookupEnv(name)
	if !ok || address == "" {
		return "", problem.New("--store-env", "the environment variable %s is not set", name).WithHint("export %s", name)
	}
	return address, nil
}

// rootCause is why the system refused, without what it was asked to do.
func rootCause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
