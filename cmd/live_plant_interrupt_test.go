package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestInterruptedPlantingKeepsWhatStands interrupts a planting as a person does:
// what was made until then is kept, told of, and harvested later.
func TestInterruptedPlantingKeepsWhatStands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are interrupted by a signal, which Windows has not")
	}
	var s *staging
	var planted string
	var out, said bytes.Buffer
	for try := 1; ; try++ {
		s = newStaging(t, "--work", "900ms")
		planted = s.file("planted")
		out.Reset()
		said.Reset()
		c := exec.Command(buildIdem(t), "verify", filepath.Join(s.dir, "c.yaml"), "--live", "--plant", planted, "--format", "json")
		c.Env = append(os.Environ(), "TOKEN="+stagingToken)
		c.Stdout, c.Stderr = &out, &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitForAnswered(t, planted)
		if err := c.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		c.Wait()
		code := c.ProcessState.ExitCode()
		if code == ExitInterrupted {
			break
		}
		if code != ExitDone || try == 4 { // on a busy machine it may have been done before it was interrupted
			t.Fatalf("exit %d, want %d\n%s%s", code, ExitInterrupted, out.String(), said.String())
		}
	}
	var told plantedJSON
	if err := json.Unmarshal(out.Bytes(), &told); err != nil || told.Complete || len(told.Operations) != 1 {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	standing := 0
	for _, n := range told.Operations[0].Standing {
		standing += n
	}
	if standing == 0 || standing >= 9 {
		t.Errorf("%d of 9 operations stand", standing)
	}
	if text, err := os.ReadFile(planted); err != nil || strings.Contains(string(text), stagingToken) {
		t.Errorf("the plant file is gone or shows the token: %v", err)
	}
	s.pass(2 * time.Hour)
	verdicts, slugs := s.harvest(ExitInconclusive)
	if slugs != "" || verdicts["duplicate"] == "fail" {
		t.Errorf("%v %s", verdicts, slugs)
	}
}

// waitForAnswered waits until the first answer to a planted operation stands in
// the file.
func waitForAnswered(t *testing.T, file string) {
	t.Helper()
	for range 1200 {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, `"kind":"answer"`) && strings.Contains(line, `"trial":"replay-`) {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing was planted in 12 s")
}
