//go:build !unix

package testneed

import "errors"

// startCluster knows only how to run PostgreSQL on Unix; elsewhere
// IDEM_TEST_POSTGRES names a server.
func startCluster() (string, error) {
	return "", errors.New("set IDEM_TEST_POSTGRES to a postgres:// URL")
}
