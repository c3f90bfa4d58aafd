// Command services are five small APIs, each with the idempotency that a kind
// of public API documents. The contracts beside it are checked against them:
//
//	services stripe-v1|graphql|key-in-body|azure-repeatability|signed --listen ADDRESS --data FILE
//	services sign < REQUEST
//
// Each keeps its promises unless --break names one to break. What they keep is
// in one file, so that they can be killed and started again. Read book.go for
// what all of them share, then one API. They are examples, and no payment ever
// moved through them.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// api is one of the services.
type api struct {
	name   string
	breaks []string // the ways to break it, for --break
	open   func(*book) http.Handler
}

func apis() []api {
	return []api{stripeAPI, graphqlAPI, keyInBodyAPI, azureAPI, signedAPI}
}

func main() {
	if err := start(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "services:", err)
		os.Exit(2)
	}
}

func start(args []string, in io.Reader, out io.Writer) error {
	var names []string
	for _, a := range apis() {
		names = append(names, a.name)
	}
	if len(args) == 0 {
		return fmt.Errorf("name one of %s, or sign", strings.Join(names, ", "))
	}
	if args[0] == "sign" {
		return sign(in, out, os.Getenv)
	}
	at := slices.Index(names, args[0])
	if at < 0 {
		return fmt.Errorf("there is no service %q, only %s", args[0], strings.Join(names, ", "))
	}
	return serve(apis()[at], args[1:])
}

func serve(a api, args []string) error {
	flags := flag.NewFlagSet(a.name, flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:8100", "address to listen on")
	data := flags.String("data", "", "file that keeps records and effects")
	retention := flags.Duration("retention", 24*time.Hour, "how long a key is remembered from its first use")
	work := flags.Duration("work", 5*time.Millisecond, "how long an operation takes")
	linger := flags.Duration("linger", 25*time.Millisecond, "time between an operation's end and its answer, for kills to fall into")
	broken := flags.String("break", "", "promise to break: "+strings.Join(a.breaks, ", "))
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil // it has been given
	case err != nil:
		return err
	}
	switch {
	case *data == "":
		return errors.New("--data names no file")
	case *broken != "" && !slices.Contains(a.breaks, *broken):
		return fmt.Errorf("%s can be broken by %s", a.name, strings.Join(a.breaks, ", "))
	}
	b, err := openBook(*data, *broken)
	if err != nil {
		return err
	}
	b.retention, b.work, b.linger = *retention, *work, *linger
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.Handle("/", a.open(b))
	server := &http.Server{Handler: http.MaxBytesHandler(mux, mostBody), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// mostBody bounds a request's body, in bytes.
const mostBody = 4 << 20
