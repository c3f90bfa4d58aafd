package report

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idem-toolkit/idem/internal/probe"
)

// picture draws one as it stands on so many columns.
func picture(p probe.Picture, columns int) string {
	var b bytes.Buffer
	human{b: &b, o: Options{Width: columns}}.picture(p)
	return b.String()
}

// bars are the lines of a picture: how many copies each stands for, and its marks.
func bars(t interface{ Fatalf(string, ...any) }, text string) (copies []int, marks []string) {
	line := regexp.MustCompile(`(?m)^ +(?:copy -?\d+|(\d+) copies) *\|([^|]*)\|`)
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		n := 1
		if m[1] != "" {
			var err error
			if n, err = strconv.Atoi(m[1]); err != nil {
				t.Fatalf("%q: %s", m[1], err)
			}
		}
		copies, marks = append(copies, n), append(marks, m[2])
	}
	return copies, marks
}

// anyTime is a time as it is measured, or as nobody ever measured one.
func anyTime(t *rapid.T, name string) time.Duration {
	return time.Duration(rapid.OneOf(
		rapid.Just[int64](0), rapid.Int64Range(-1e6, 1e8), rapid.Int64Range(0, 1e11), rapid.Int64(),
		rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, math.MinInt64 + 1}),
	).Draw(t, name))
}

func anyCopies(t *rapid.T) []probe.Pictured {
	copies := make([]probe.Pictured, rapid.IntRange(0, 40).Draw(t, "copies"))
	for i := range copies {
		copies[i] = probe.Pictured{
			Copy: i, Connection: rapid.IntRange(0, 3).Draw(t, "connection"), Stream: rapid.IntRange(0, 3).Draw(t, "stream"),
			Instance: rapid.SampledFrom([]string{"", "", "blue", evil}).Draw(t, "instance"),
			Hold:     rapid.SampledFrom([]string{"", "body", "header", "whole"}).Draw(t, "hold"),
			Written:  rapid.Bool().Draw(t, "written"), Whole: rapid.Bool().Draw(t, "whole"), Answered: rapid.Bool().Draw(t, "answered"),
			WriteBegan: anyTime(t, "began"), WriteEnded: anyTime(t, "ended"), FirstByte: anyTime(t, "first"), LastByte: anyTime(t, "last"),
			Status: rapid.SampledFrom([]int{0, 201, 409, 500, -1}).Draw(t, "status"),
			Class:  rapid.SampledFrom([]string{"", "won", "result", "in flight", "no answer", evil}).Draw(t, "class"),
		}
	}
	return copies
}

// TestPictureFits: whatever was recorded, no line is wider than the terminal,
// every copy is in exactly one line, and lines are few.
func TestPictureFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := probe.Picture{Case: rapid.SampledFrom([]string{"2 copies, body hold, round 1", evil}).Draw(t, "case"), Copies: anyCopies(t)}
		columns := rapid.IntRange(24, 200).Draw(t, "columns")
		text := picture(p, columns)
		for line := range strings.Lines(text) {
			if n := width([]string{strings.TrimSuffix(line, "\n")}); n > columns {
				t.Fatalf("%d columns of %d: %q", n, columns, line)
			}
			if !isClean(strings.TrimSuffix(line, "\n")) {
				t.Fatalf("unclean: %q", line)
			}
		}
		copies, marks := bars(t, text)
		sum := 0
		for _, n := range copies {
			sum += n
		}
		if sum != len(p.Copies) || len(copies) > mostRows {
			t.Fatalf("%d copies in %d lines of %d\n%s", sum, len(copies), len(p.Copies), text)
		}
		for _, bar := range marks {
			if strings.Trim(bar, " w.(=)*x<>") != "" || len(bar) != len(marks[0]) {
				t.Fatalf("marks %q", bar)
			}
		}
	})
}

// TestPictureMarksAreInOrder: what was written, then waited for, then answered.
func TestPictureMarksAreInOrder(t *testing.T) {
	order := regexp.MustCompile(`^ *w*\.*(\*|\(=*\)|x|)? *>?$`)
	rapid.Check(t, func(t *rapid.T) {
		var copies []probe.Pictured
		for i := range rapid.IntRange(1, apartMost).Draw(t, "copies") {
			at := func(name string, from time.Duration) time.Duration {
				return from + time.Duration(rapid.Int64Range(0, 2e7).Draw(t, name))
			}
			c := probe.Pictured{Copy: i, Hold: "body", Written: true, Whole: true, WriteBegan: at("began", 0)}
			c.WriteEnded = at("ended", c.WriteBegan)
			c.Answered = rapid.Bool().Draw(t, "answered")
			c.FirstByte = at("first", c.WriteEnded)
			c.LastByte = max(1, at("last", c.FirstByte)) // 0 is of a copy that is not known to have ended
			c.Status, c.Class = 201, "won"
			if !c.Answered {
				c.FirstByte, c.Status, c.Class = 0, 0, "no answer"
			}
			copies = append(copies, c)
		}
		n := rapid.IntRange(2, 80).Draw(t, "characters")
		a := axisOf(copies)
		for _, s := range strands(copies, a.span()) {
			bar := s.bar(a, n)
			if !order.MatchString(bar) {
				t.Fatalf("%q of %+v", bar, s.first)
			}
			if last := a.column(s.first.LastByte, n); last < n && strings.TrimRight(bar, " ") != bar[:last+1] {
				t.Fatalf("%q does not end where the copy did, at %d", bar, last)
			}
		}
	})
}

// TestPictureOfManyParts: only copies that got the same share a line, the order
// in which they are given changes nothing, and the winner stands alone.
func TestPictureOfManyParts(t *testing.T) {
	copies := stampeded()
	want := picture(probe.Picture{Copies: copies}, 100)
	for range 20 {
		rand.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		if got := picture(probe.Picture{Copies: copies}, 100); got != want {
			t.Fatalf("the order of the copies shows\n%s\n%s", want, got)
		}
	}
	for _, row := range []string{"copy 8 .* 201, won", "20 copies .* 201, result", "7 copies .* 409, in flight",
		"copy 29 .* not processed", "copy 30 .* not written"} {
		if !regexp.MustCompile(`(?m)^ +` + row + `$`).MatchString(want) {
			t.Errorf("no line %q\n%s", row, want)
		}
	}
}

// TestPictureOfTooManyKinds: what does not fit is counted and not left out.
func TestPictureOfTooManyKinds(t *testing.T) {
	var copies []probe.Pictured
	for i := range 30 {
		at := time.Duration(i+1) * time.Millisecond
		copies = append(copies, held(i, i, 0, 10*us, at, at, 200+i, "refused"))
	}
	text := picture(probe.Picture{Copies: copies}, 100)
	if n, _ := bars(t, text); len(n) != mostRows || n[mostRows-1] != 30-mostRows+1 || !strings.Contains(text, "different answers") {
		t.Errorf("%v\n%s", n, text)
	}
}

// TestPictureOfStragglers: a copy that was waited for in vain does not squeeze
// the others into one column, and one that came at last is on the axis.
func TestPictureOfStragglers(t *testing.T) {
	won := held(0, 1, 0, 10*us, 5*time.Millisecond, 6*time.Millisecond, 201, "won")
	draw := func(other probe.Pictured) []string {
		_, marks := bars(t, picture(probe.Picture{Copies: []probe.Pictured{won, other}}, 100))
		return marks
	}
	for _, late := range []time.Duration{time.Second, time.Hour, math.MaxInt64} {
		lost := held(1, 2, 0, 10*us, 0, late, 0, "no answer")
		lost.Answered = false
		if marks := draw(lost); !strings.HasSuffix(marks[1], ".>") || !strings.HasSuffix(marks[0], "=)") {
			t.Errorf("in vain, %s: %q", late, marks)
		}
		if marks := draw(held(1, 2, 0, 10*us, late, late, 201, "result")); !strings.HasPrefix(marks[0], "*  ") || !strings.HasSuffix(marks[1], "...*") {
			t.Errorf("at last, %s: %q", late, marks)
		}
	}
	early := held(1, 1, 0, -time.Hour, 5*time.Millisecond, 6*time.Millisecond, 201, "result")
	if marks := draw(early); !strings.HasPrefix(marks[1], "<....") || !regexp.MustCompile(`^ +w`).MatchString(marks[0]) {
		t.Errorf("before the axis: %q", marks)
	}
}

// TestPictureSaysWhatIsNotThere: an answer that began and broke off, one that
// was never seen to end, a copy that was not written or not held.
func TestPictureSaysWhatIsNotThere(t *testing.T) {
	won := held(0, 1, 0, 10*us, 4*time.Millisecond, 5*time.Millisecond, 201, "won")
	with := func(change func(*probe.Pictured)) probe.Pictured {
		c := held(1, 2, 0, 10*us, 2*time.Millisecond, 4*time.Millisecond, 201, "result")
		change(&c)
		return c
	}
	for _, c := range []struct {
		name, row string
		copy      probe.Pictured
	}{
		{"broken off", `\|w\.+\(=+x +\| .*no answer`, with(func(c *probe.Pictured) { c.Status, c.Class = 0, "no answer" })},
		{"reset", `\|w\.+x +\| .*10us +- +no answer`, with(func(c *probe.Pictured) { c.Answered, c.Status, c.Class = false, 0, "no answer" })},
		{"nothing recorded", `\|w\.+\| .*no answer`, with(func(c *probe.Pictured) { c.Answered, c.Status, c.Class, c.LastByte = false, 0, "no answer", 0 })},
		{"another instance", `201, result, by blue$`, with(func(c *probe.Pictured) { c.Instance = "blue" })},
		{"not held", `201, result, not held`, with(func(c *probe.Pictured) { c.Hold = "" })},
		{"partly written", `201, result, partly written`, with(func(c *probe.Pictured) { c.Whole = false })},
		{"not written", `\| +\|  - +- +no answer, not written`, probe.Pictured{Copy: 1, Class: "no answer"}},
		{"answered early", `\|[^|]*\(=*\)[^|]*\|`, with(func(c *probe.Pictured) { c.WriteEnded = 5 * time.Millisecond })},
		{"before the release", `\|ww*\.`, with(func(c *probe.Pictured) { c.WriteBegan = -3 * time.Millisecond })},
	} {
		text := picture(probe.Picture{Copies: []probe.Pictured{won, c.copy}}, 100)
		if !regexp.MustCompile(`(?m)^ +copy 2 ?.*` + c.row).MatchString(text) {
			t.Errorf("%s\n%s", c.name, text)
		}
	}
	if text := picture(probe.Picture{Case: "x", Released: 1}, 100); text != "  x\n" {
		t.Errorf("no copies: %q", text)
	}
}

func FuzzPicture(f *testing.F) {
	f.Add(int64(1), int64(2), int64(3), int64(4), 201, "won", 80)
	f.Add(int64(math.MinInt64), int64(math.MaxInt64), int64(0), int64(-1), 0, evil, 40)
	f.Fuzz(func(t *testing.T, began, ended, first, last int64, status int, class string, columns int) {
		columns = 24 + int(uint(columns)%200)
		c := probe.Pictured{Written: status%2 == 0, Answered: status%3 != 0, WriteBegan: time.Duration(began), WriteEnded: time.Duration(ended),
			FirstByte: time.Duration(first), LastByte: time.Duration(last), Status: status, Class: class}
		for line := range strings.Lines(picture(probe.Picture{Case: class, Copies: []probe.Pictured{c, held(1, 1, 1, us, 2*us, 3*us, 201, "won")}}, columns)) {
			if n := width([]string{strings.TrimSuffix(line, "\n")}); n > columns {
				t.Fatalf("%d columns of %d: %q", n, columns, line)
			}
		}
	})
}
