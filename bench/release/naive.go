package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// naive releases as tests are usually written: a goroutine for each copy, a
// gate that they all wait at, and net/http. Connections are made as they go,
// or before, where warm.
type naive struct {
	warm  bool
	http2 bool // one connection for all
}

func (n naive) release(ctx context.Context, to target, path string, keys []string) error {
	client := &http.Client{Transport: n.transport(to.config)}
	defer client.CloseIdleConnections()
	if n.warm {
		if err := n.connect(ctx, client, to, keys); err != nil {
			return fmt.Errorf("warming: %w", err)
		}
	}
	return n.fire(ctx, client, to.url(n.http2)+path, keys)
}

// transport is what net/http has by default, each round anew. Only who warms
// connections has it keep all of them: by default it closes all but two that
// have nothing to do.
func (n naive) transport(config *tls.Config) *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(!n.http2)
	protocols.SetHTTP2(n.http2 && config != nil)
	protocols.SetUnencryptedHTTP2(n.http2 && config == nil)
	if config != nil {
		config = config.Clone() // a transport writes into it what it negotiates
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Protocols, t.TLSClientConfig = protocols, config
	if n.warm {
		t.MaxIdleConnsPerHost = most
	}
	return t
}

// connect makes the connections that the copies need, and leaves them idle: as
// many requests as copies, none of which is answered before all are there.
func (n naive) connect(ctx context.Context, client *http.Client, to target, keys []string) error {
	count := len(keys)
	if n.http2 {
		count = 1
	}
	group := make([]string, count)
	for i := range group {
		group[i] = keys[0]
	}
	err := n.fire(ctx, client, to.url(n.http2)+"/warm?n="+strconv.Itoa(count), group)
	time.Sleep(time.Millisecond) // the transport takes a connection back a moment after its answer
	return err
}

// fire opens the gate once every goroutine stands there.
func (n naive) fire(ctx context.Context, client *http.Client, url string, keys []string) error {
	gate := make(chan struct{})
	failed := make(chan error, len(keys))
	var there, all sync.WaitGroup
	there.Add(len(keys))
	for _, k := range keys {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", k)
		all.Go(func() {
			there.Done()
			<-gate
			if err := do(client, request); err != nil {
				failed <- err
			}
		})
	}
	there.Wait()
	close(gate)
	all.Wait()
	close(failed)
	return <-failed
}

func do(client *http.Client, request *http.Request) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}
