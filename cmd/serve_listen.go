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
	// All listen before any serves: who finds the first ready finds all.
	for _, l := range listeners {
		if _, err := fmt.Fprintf(app.Out, "listening on http://%s\n", l.Addr()); err != nil {
			closeAll(listeners)
			return problem.New("standard output", "%s", rootCause(err))
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make([]error, len(services))
	var serving sync.WaitGroup
	for i, service := range services {
		serving.Go(func() {
			defer stop()
			failed[i] = service.Serve(ctx, listeners[i], o.drain)
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
	for i, address := range append([]string{o.listen}, o.replicas...) {
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
	for i, address := range append([]string{o.listen}, o.replicas...) {
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
		return problem.New(flag, "is not HOST:PORT").WithHint("%s 127.0.0.1:8080", flag)
	}
	ip := net.ParseIP(host)
	if anywhere || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return problem.New(flag, "other machines reach this address, and this is a demonstration that anyone may call").
		WithHint("%s 127.0.0.1:8080, or --listen-any if that is meant", flag)
}
