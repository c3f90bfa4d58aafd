package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/reference"
)

// maxReplicas bounds the replicas of one process.
const maxReplicas = 16

// serveOn listens at every address, says where, and serves until ctx ends or
// one replica cannot go on.
func serveOn(ctx context.Context, app *App, o *serveOptions, store reference.Store) error {
	services, err := o.services(store)
	if err != nil {
		return err
	}
	listeners, err := o.listeners()
	if err != nil {
		return err
	}
	scheme := "http"
	if o.TLS != nil {
		scheme = "https"
	}
	// All listen before any serves: who finds the first ready finds all.
	for _, l := range listeners {
		if _, err := fmt.Fprintf(app.Out, "listening on %s://%s\n", scheme, l.Addr()); err != nil {
			closeAll(listeners)
			return problem.New("standard output", "%s", rootCause(err))
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	replicas, stopReplicas := ctx, stop
	if o.balance != "" { // they have requests of the first one's callers at work
		services[0].Share(reference.Balancing(o.balance), services[1:]...)
		replicas, stopReplicas = context.WithCancel(context.WithoutCancel(ctx))
	}
	defer stopReplicas()
	failed := make([]error, len(services))
	var serving sync.WaitGroup
	serving.Go(func() {
		defer stopReplicas()
		defer stop()
		failed[0] = services[0].Serve(ctx, listeners[0], o.drain)
	})
	for i := 1; i < len(services); i++ {
		serving.Go(func() {
			defer stop()
			failed[i] = services[i].Serve(replicas, listeners[i], o.drain)
		})
	}
	serving.Wait()
	if err := errors.Join(failed...); err != nil {
		return problem.New("", "serving stopped: %s", err)
	}
	return nil
}

// services makes the service and its replicas, each with a name of its own.
func (o *serveOptions) services(store reference.Store) ([]*reference.Service, error) {
	var services []*reference.Service
	for i := range 1 + len(o.replicas) {
		options := o.Options
		options.Instance = o.instance(i)
		service, err := o.zoo.variant.Service(store, options)
		if err != nil {
			return nil, err
		}
		services = append(services, service)
	}
	return services, nil
}

// instance names a replica: --instance for the first, and numbered from 2 for
// the others.
func (o *serveOptions) instance(i int) string {
	name := o.Instance
	if len(o.replicas) > 0 && name == "" {
		name = "replica"
		if i == 0 {
			return name + "-1"
		}
	}
	if i == 0 {
		return name
	}
	return name + "-" + strconv.Itoa(i+1)
}

// listeners takes all addresses, or none.
func (o *serveOptions) listeners() ([]net.Listener, error) {
	var listeners []net.Listener
	for i, address := range o.addresses() {
		l, err := net.Listen("tcp", address)
		if err != nil {
			closeAll(listeners)
			flag := addressFlag(i)
			return nil, problem.New(flag, "%s", rootCause(err)).WithHint("%s 127.0.0.1:0 takes a free port", flag)
		}
		listeners = append(listeners, l)
	}
	return listeners, nil
}

func (o *serveOptions) addresses() []string { return append([]string{o.listen}, o.replicas...) }

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}

func addressFlag(i int) string {
	if i == 0 {
		return "--listen"
	}
	return "--replica"
}

func (o *serveOptions) checkAddresses() error {
	if len(o.replicas) > maxReplicas {
		return problem.New("--replica", "there are %d, and %d at most", len(o.replicas), maxReplicas)
	}
	if err := reference.Balancing(o.balance).Check(); err != nil {
		return err
	}
	if o.balance != "" && len(o.replicas) == 0 {
		return problem.New("--balance", "there are no replicas to share the address with").WithHint("--replica 127.0.0.1:0")
	}
	for i, address := range o.addresses() {
		if err := checkListen(addressFlag(i), address, o.listenAny); err != nil {
			return err
		}
	}
	return nil
}

// checkListen refuses addresses that other machines reach: a demonstration
// that anyone may call, without TLS, does not belong there by accident.
func checkListen(flag, address string, anywhere bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		port := "8080"
		if n, err := strconv.Atoi(address); err == nil && n > 0 && n < 65536 {
			port = address
		}
		return problem.New(flag, "is not HOST:PORT").WithHint("%s 127.0.0.1:%s", flag, port)
	}
	ip := net.ParseIP(host)
	if anywhere || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return problem.New(flag, "other machines reach this address, and this is a demonstration that anyone may call").
		WithHint("%s 127.0.0.1:8080, or --listen-any if that is meant", flag)
}
