//go:build !linux

package main

import "time"

// alarm waits as exactly as the runtime sleeps.
type alarm struct{}

func newAlarm() (*alarm, error) { return &alarm{}, nil }

func (a *alarm) wait(d time.Duration) error {
	time.Sleep(d)
	return nil
}

func (a *alarm) close() {}
