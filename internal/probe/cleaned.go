package probe

import "github.com/idem-toolkit/idem/internal/trace"

// cleaning is what became of limits.cleanup. It changes no verdict: what an
// API promised does not hang on whether a test's things were taken away.
type cleaning struct {
	called, failed int
	first          string // what went wrong first, and of what
}

func (c *cleaning) observe(e trace.Event) {
	c.called++
	if e.Process == nil || e.Process.Error == "" {
		return
	}
	if c.failed++; c.failed == 1 {
		c.first = e.Operation + " " + e.Text + ": " + e.Process.Error
	}
}

func (c *cleaning) notes() []string {
	switch {
	case c.called == 0:
		return nil
	case c.failed == 0:
		return []string{"cleanup was called for " + some(c.called, "operation", "operations")}
	}
	return []string{"cleanup failed for " + itoa(int64(c.failed)) + " of " + some(c.called, "operation", "operations") + ", first " + c.first}
}
