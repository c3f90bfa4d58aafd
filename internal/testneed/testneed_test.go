package testneed

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestPostgresGivesEachTestADatabaseOfItsOwn(t *testing.T) {
	first, second := Postgres(t), Postgres(t)
	if first == second {
		t.Fatalf("two tests share %s", first)
	}
	for _, dsn := range []string{first, second} {
		if err := execute(dsn, "CREATE TABLE mine (x integer)"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPostgresDropsTheDatabase(t *testing.T) {
	var dsn string
	t.Run("uses it", func(t *testing.T) { dsn = Postgres(t) })
	if dsn == "" {
		missing(t, "no PostgreSQL")
	}
	if conn, err := pgx.Connect(context.Background(), dsn); err == nil {
		conn.Close(context.Background())
		t.Fatal("the database is still there")
	}
}

func TestNodeRuns(t *testing.T) {
	out, err := exec.Command(Node(t), "--version").Output()
	if err != nil || !strings.HasPrefix(string(out), "v") {
		t.Fatalf("node --version: %q, %v", out, err)
	}
}

// recorder is a test that only notes how it was ended.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                   {}
func (r *recorder) Fatalf(f string, a ...any) { r.said += "fatal " + fmt.Sprintf(f, a...) + "\n" }
func (r *recorder) Skipf(f string, a ...any)  { r.said += "skip " + fmt.Sprintf(f, a...) + "\n" }

func TestMissingFailsInCIAndSkipsElsewhere(t *testing.T) {
	for ci, want := range map[string]string{"true": "fatal ", "": "skip "} {
		t.Run("CI="+ci, func(t *testing.T) {
			t.Setenv("CI", ci)
			r := &recorder{TB: t}
			missing(r, "no %s", "such thing")
			if !strings.HasPrefix(r.said, want) || !strings.Contains(r.said, "no such thing") {
				t.Errorf("got %q, want %q and the reason", r.said, want)
			}
		})
	}
}

func TestRedisAnswersAndIsTheTestsOwn(t *testing.T) {
	first, second := Redis(t), Redis(t)
	if first == second {
		t.Fatalf("two servers at %s", first)
	}
	for _, address := range []string{first, second} {
		if !pong(strings.TrimPrefix(address, "redis://")) {
			t.Errorf("%s does not answer", address)
		}
	}
}

func TestRedisEndsWithTheTest(t *testing.T) {
	var address string
	t.Run("uses it", func(t *testing.T) { address = Redis(t) })
	if address == "" {
		missing(t, "no Redis")
	}
	if pong(strings.TrimPrefix(address, "redis://")) {
		t.Fatal("the server is still there")
	}
}

func TestPythonMakesEnvironments(t *testing.T) {
	dir := t.TempDir()
	if said, err := exec.Command(Python(t), "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Fatalf("venv: %v\n%s", err, said)
	}
}

func TestMavenRuns(t *testing.T) {
	out, err := exec.Command(Maven(t), "--version").Output()
	if err != nil || !strings.Contains(string(out), "Maven") {
		t.Fatalf("mvn --version: %q, %v", out, err)
	}
}

func TestJavaRuns(t *testing.T) {
	if said, err := exec.Command(Java(t), "-version").CombinedOutput(); err != nil || !strings.Contains(string(said), "version") {
		t.Fatalf("java -version: %q, %v", said, err)
	}
}

func TestParallelRuns(t *testing.T) {
	said, err := exec.Command(Parallel(t), "--keep-order", "echo", ":::", "a", "b").Output()
	if err != nil || string(said) != "a\nb\n" {
		t.Fatalf("parallel: %q, %v", said, err)
	}
}
