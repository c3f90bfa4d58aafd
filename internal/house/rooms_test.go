package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room is a row of the table in docs/house.md.
type room struct {
	kind string // pure, world, tests
	may  []string
}

// house reads the table of rooms.
func house(t *testing.T) map[string]room {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "house.md"))
	if err != nil {
		t.Fatal(err)
	}
	rooms := tableOfRooms(string(text))
	if len(rooms) < 10 {
		t.Fatalf("docs/house.md lists only %d rooms: its table is not read", len(rooms))
	}
	return rooms
}

func tableOfRooms(text string) map[string]room {
	rooms := map[string]room{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		r := room{kind: strings.TrimSpace(cells[2])}
		for name := range strings.SplitSeq(cells[3], ",") {
			if name = strings.TrimSpace(name); name != "" {
				r.may = append(r.may, name)
			}
		}
		rooms[strings.Trim(cells[1], " `")] = r
	}
	return rooms
}

func TestTheTableOfRoomsIsTheHouse(t *testing.T) {
	rooms := house(t)
	there := map[string]bool{}
	for _, s := range goFiles(t) {
		if strings.HasPrefix(s.path, "internal/") {
			there[s.room()] = true
		}
	}
	for name := range there {
		if _, ok := rooms[name]; !ok {
			t.Errorf("internal/%s is not in the table of docs/house.md", name)
		}
	}
	for name, r := range rooms {
		if !there[name] {
			t.Errorf("docs/house.md lists internal/%s, which is not there", name)
		}
		for _, other := range r.may {
			if _, ok := rooms[other]; !ok {
				t.Errorf("%s may import %s, which is not in the table", name, other)
			}
			if r.kind == "pure" && rooms[other].kind != "pure" {
				t.Errorf("%s is pure and may import %s, which is not", name, other)
			}
		}
		if !slices.Contains([]string{"pure", "world", "tests"}, r.kind) {
			t.Errorf("%s is of no known kind: %q", name, r.kind)
		}
	}
}

func TestImportsPointTheNaturalWay(t *testing.T) {
	rooms := house(t)
	for _, s := range goFiles(t) {
		for _, bad := range wrongImports(rooms, s) {
			t.Error(bad)
		}
	}
}

// wrongImports gives the imports of a file that the table does not allow.
func wrongImports(rooms map[string]room, s source) []string {
	var out []string
	for _, other := range s.rooms() {
		from := s.room()
		switch {
		case from == other:
		case other == "bench" || other == "release":
			out = append(out, s.path+": nothing imports "+other)
		case s.test() && !apart(from, other):
		case other == "cmd" && (from == "" || from == "release"):
		case (from == "cmd" || from == "bench") && rooms[other].kind != "" && rooms[other].kind != "tests":
		case slices.Contains(rooms[from].may, other):
		default:
			out = append(out, s.path+": "+orMain(from)+" may not import "+other)
		}
	}
	return out
}

func orMain(room string) string {
	if room == "" {
		return "main"
	}
	return room
}

// apart says whether two rooms share nothing, their tests included.
func apart(a, b string) bool {
	return a == "reference" && b == "probe" || a == "probe" && b == "reference"
}

func TestReferenceAndProbeShareNoCode(t *testing.T) {
	leans := map[string]map[string]bool{}
	for _, s := range goFiles(t) {
		if s.test() {
			continue
		}
		for _, other := range s.rooms() {
			if leans[s.room()] == nil {
				leans[s.room()] = map[string]bool{}
			}
			leans[s.room()][other] = true
		}
	}
	if len(leans["reference"]) == 0 || len(leans["probe"]) == 0 {
		t.Fatal("reference or probe leans on nothing: the imports are not read")
	}
	reference, probe := beneath(leans, "reference"), beneath(leans, "probe")
	for name := range reference {
		if probe[name] && name != "problem" {
			t.Errorf("reference and probe both stand on %s", name)
		}
	}
}

// beneath gives a room and all that it stands on.
func beneath(leans map[string]map[string]bool, name string) map[string]bool {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(n string) {
		if seen[n] {
			return
		}
		seen[n] = true
		for other := range leans[n] {
			visit(other)
		}
	}
	visit(name)
	return seen
}

func TestPureRoomsTouchNothing(t *testing.T) {
	rooms := house(t)
	for _, s := range goFiles(t) {
		if s.test() || rooms[s.room()].kind != "pure" {
			continue
		}
		for _, bad := range impurities(s) {
			t.Error(bad)
		}
	}
}

// worldly are the packages that reach files, sockets, processes and chance;
// below a name that ends in a slash nothing is pure. net/url, net/netip and
// net/textproto's kin only compute, and are named where they are.
var worldly = []string{"net", "net/http", "net/http/", "net/rpc", "net/smtp", "os", "os/", "syscall", "io/ioutil",
	"crypto/rand", "crypto/tls", "database/sql", "database/sql/", "golang.org/x/sys/", "golang.org/x/net/",
	"github.com/jackc/", "modernc.org/", "unsafe", "C"}

// ticking are the functions of package time that read or wait for the clock.
var ticking = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// drawing are functions of math/rand that draw from the process's own source.
var drawing = []string{"Int", "IntN", "Intn", "N", "Int64", "Int64N", "Int63", "Uint32", "Uint64", "Float64", "Perm", "Shuffle", "Seed"}

// touching are functions of path/filepath that look at files.
var touching = []string{"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"}

// impurities gives all by which a file is not pure.
func impurities(s source) []string {
	var out []string
	for _, p := range s.imports() {
		for _, w := range worldly {
			if p == w || strings.HasSuffix(w, "/") && strings.HasPrefix(p, w) {
				out = append(out, s.path+": a pure room imports "+p)
			}
		}
	}
	for _, ban := range []struct {
		path, name string
		functions  []string
	}{
		{"time", "time", ticking},
		{"math/rand", "rand", drawing},
		{"math/rand/v2", "rand", drawing},
		{"path/filepath", "filepath", touching},
	} {
		local := s.localName(ban.path, ban.name)
		if local == "" {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(ban.functions, sel.Sel.Name) {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == local {
				out = append(out, s.place(sel)+": a pure room uses "+ban.path+"."+sel.Sel.Name)
			}
			return true
		})
	}
	return out
}

// localName is what a file calls an imported package, empty where it does not
// import it.
func (s source) localName(importPath, name string) string {
	for _, spec := range s.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return name
	}
	return ""
}

func TestTheRulesRefuse(t *testing.T) {
	rooms := map[string]room{
		"probe": {"pure", []string{"trace"}}, "trace": {"pure", nil}, "wire": {"world", []string{"trace"}},
		"reference": {"world", nil}, "testneed": {"tests", nil},
	}
	for _, c := range []struct {
		path, imports string
		wrong         bool
	}{
		{"internal/probe/a.go", "internal/trace", false},
		{"internal/probe/a.go", "internal/wire", true},
		{"internal/probe/a.go", "internal/probe/deeper", false},
		{"internal/probe/a_test.go", "internal/wire", false},
		{"internal/probe/a_test.go", "internal/reference", true},
		{"internal/reference/a_test.go", "internal/probe", true},
		{"internal/reference/store/a.go", "internal/trace", true},
		{"internal/trace/a.go", "cmd", true},
		{"cmd/a.go", "internal/wire", false},
		{"cmd/a.go", "internal/testneed", true},
		{"cmd/a_test.go", "internal/testneed", false},
		{"cmd/a.go", "bench/release", true},
		{"cmd/a_test.go", "bench/release", true},
		{"internal/wire/a_test.go", "bench/release", true},
		{"bench/release/a.go", "internal/wire", false},
		{"bench/release/a.go", "internal/testneed", true},
		{"bench/release/a.go", "cmd", true},
		{"bench/release/a_test.go", "internal/testneed", false},
		{"release/extras/a.go", "cmd", false},
		{"release/extras/a.go", "internal/probe", true},
		{"release/extras/a_test.go", "internal/testneed", false},
		{"cmd/a_test.go", "release/extras", true},
		{"main.go", "cmd", false},
		{"main.go", "internal/wire", true},
	} {
		s := parse(t, c.path, "package p\nimport _ \""+module+"/"+c.imports+"\"\n")
		if got := wrongImports(rooms, s); (len(got) > 0) != c.wrong {
			t.Errorf("%s imports %s: %v", c.path, c.imports, got)
		}
	}
	for _, c := range []struct {
		text string
		bad  int
	}{
		{`import "net/url"; var _ = url.Parse`, 0},
		{`import "time"; var _ = time.Second; var _ time.Time`, 0},
		{`import "path/filepath"; var _ = filepath.Join`, 0},
		{`import "math/rand/v2"; var _ = rand.NewPCG`, 0},
		{`import "net/http"`, 1},
		{`import "os/exec"`, 1},
		{`import "os"`, 1},
		{`import clock "time"; var _ = clock.Now`, 1},
		{`import "time"; var _ = []any{time.Since, time.After}`, 2},
		{`import "math/rand/v2"; var _ = rand.IntN(3)`, 1},
		{`import "path/filepath"; var _ = filepath.Glob`, 1},
	} {
		s := parse(t, "internal/probe/a.go", "package p; "+c.text)
		if got := impurities(s); len(got) != c.bad {
			t.Errorf("%s: %v", c.text, got)
		}
	}
}
