package canon_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// es6Lines is how many lines of the sequence are checked: .ci/run numbers asks
// for ten million, and 100000000 are all for which a checksum is published.
var es6Lines = flag.Int("es6", 100_000, "check so many `lines` of the ES6 number sequence")

// es6Data is testdata/es6numbers.json.
type es6Data struct {
	Static    []string
	Checksums []struct {
		Lines  int
		SHA256 string
		Bytes  int
	}
}

// TestES6Numbers writes the published sequence of doubles and holds it to the
// published checksums (RFC 8785, Appendix B). Every double is written twice: as
// the double that it is, and from a literal of 17 digits.
func TestES6Numbers(t *testing.T) {
	text, err := os.ReadFile("testdata/es6numbers.json")
	if err != nil {
		t.Fatal(err)
	}
	var data es6Data
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	lines := *es6Lines
	hash, done, size, checked := sha256.New(), 0, 0, 0
	for block := range es6Blocks(data.Static, lines) {
		b := <-block
		if b.wrong != "" {
			t.Fatal(b.wrong)
		}
		begun := 0
		for _, end := range b.ends {
			if done++; done != data.Checksums[checked].Lines {
				continue
			}
			hash.Write(b.text[begun:end])
			size, begun = size+end-begun, end
			if got := hex.EncodeToString(hash.Sum(nil)); got != data.Checksums[checked].SHA256 || size != data.Checksums[checked].Bytes {
				t.Fatalf("%d lines, %d bytes: %s, want %+v", done, size, got, data.Checksums[checked])
			}
			if checked++; done == lines {
				break
			}
		}
		hash.Write(b.text[begun:])
		size += len(b.text) - begun
	}
	if done != lines || checked == 0 || checked < len(data.Checksums) && data.Checksums[checked].Lines <= lines {
		t.Fatalf("%d of %d lines, %d checksums", done, lines, checked)
	}
	t.Logf("%d lines, %d checksums", done, checked)
}

// es6Block is some lines of the sequence.
type es6Block struct {
	text  []byte
	ends  []int  // of the lines
	wrong string // a double that has two canonical forms
}

// es6Blocks gives the sequence in order, written by all cores.
func es6Blocks(static []string, lines int) <-chan chan es6Block {
	order := make(chan chan es6Block, 2*runtime.GOMAXPROCS(0))
	go func() {
		defer close(order)
		const size = 10_000
		var patterns []uint64
		for pattern := range es6Sequence(static, lines) {
			if patterns = append(patterns, pattern); len(patterns) == size {
				order <- es6Work(patterns)
				patterns = nil
			}
		}
		if len(patterns) > 0 {
			order <- es6Work(patterns)
		}
	}()
	return order
}

func es6Work(patterns []uint64) chan es6Block {
	out := make(chan es6Block, 1)
	go func() {
		var b es6Block
		var w canon.Writer
		var literal, got []byte
		for _, pattern := range patterns {
			f := math.Float64frombits(pattern)
			b.text = append(strconv.AppendUint(b.text, pattern, 16), ',')
			begun := len(b.text)
			b.text, _ = canon.AppendFloat(b.text, f)
			literal = strconv.AppendFloat(literal[:0], f, 'e', 16, 64)
			if got, _ = w.Append(got[:0], literal); string(got) != string(b.text[begun:]) {
				b.wrong = string(literal) + " is written as " + string(got) + ", and as a double " + string(b.text[begun:])
				break
			}
			b.text = append(b.text, '\n')
			b.ends = append(b.ends, len(b.text))
		}
		out <- b
	}()
	return out
}

// es6Sequence gives the patterns of the published sequence: those that are
// listed, 2000 in a row from the least normal double on, then what a chain of
// SHA-256 gives.
func es6Sequence(static []string, lines int) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		n := 0
		give := func(pattern uint64) bool {
			n++
			return n <= lines && yield(pattern)
		}
		for _, s := range static {
			pattern, err := strconv.ParseUint(s, 16, 64)
			if err != nil || !give(pattern) {
				return
			}
		}
		for i := range uint64(2000) {
			if !give(0x0010000000000000 + i) {
				return
			}
		}
		var block [sha256.Size]byte
		for {
			block = sha256.Sum256(block[:])
			for at := 0; at < len(block); at += 8 {
				pattern := binary.LittleEndian.Uint64(block[at:])
				f := math.Float64frombits(pattern)
				if f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
					continue
				}
				if !give(pattern) {
					return
				}
			}
		}
	}
}
