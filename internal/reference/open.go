package reference

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/idem-toolkit/idem/internal/problem"
)

// Open opens a store by its address: sqlite:memory, sqlite:PATH, or PostgreSQL
// as a postgres:// URL or key=value pairs. It makes the tables where there are
// none. Errors never quote the address.
func Open(ctx context.Context, address string) (Store, error) {
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		if path == "memory" {
			return OpenMemory(ctx)
		}
		return OpenSQLite(ctx, path)
	}
	if isPostgres(address) {
		return OpenPostgres(ctx, address)
	}
	return nil, problem.New("--store", "is neither sqlite:PATH, sqlite:memory nor a postgres:// URL").
		WithHint("--store sqlite:charges.db")
}

func isPostgres(address string) bool {
	return isURL(address) || strings.Contains(address, "host=") || strings.Contains(address, "dbname=")
}

func isURL(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// HasPassword says whether a PostgreSQL address holds a password, which does
// not belong where every process list shows it.
func HasPassword(address string) bool {
	if !isPostgres(address) || strings.HasPrefix(address, "sqlite:") {
		return false
	}
	if !isURL(address) {
		return passwordPair().MatchString(address)
	}
	u, err := url.Parse(address)
	if err != nil {
		return strings.Contains(address, "@") // it cannot be read: better safe
	}
	if _, has := u.User.Password(); has {
		return true
	}
	return passwordPair().MatchString(u.RawQuery)
}

// passwordPair is password=, sslpassword=, in a query or among pairs.
var passwordPair = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)password\s*=`) })
