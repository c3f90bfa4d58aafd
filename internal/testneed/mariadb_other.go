//go:build !unix

package testneed

import "errors"

// startMariaDB knows only how to run MariaDB on Unix; elsewhere
// IDEM_TEST_MARIADB names a server.
func startMariaDB() (string, error) {
	return "", errors.New("set IDEM_TEST_MARIADB to a mysql:// URL")
}
