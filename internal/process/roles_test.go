//go:build unix

package process

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary plays the programs too: TEST_ROLE says which.
func TestMain(m *testing.M) {
	if play, ok := roles[os.Getenv("TEST_ROLE")]; ok {
		play()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(){
	"quit":  func() { fmt.Print("my last words"); os.Exit(3) },
	"sleep": func() { time.Sleep(time.Minute) },
	"serve": func() {
		time.Sleep(duration("TEST_DELAY"))
		l, err := net.Listen("tcp", os.Getenv("TEST_ADDR"))
		if err != nil {
			fmt.Println(err)
			os.Exit(7)
		}
		fmt.Println("serving")
		started := time.Now()
		http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/healthz":
			case "/health":
				w.WriteHeader(http.StatusNotFound)
			case os.Getenv("TEST_LATE"): // there a moment after the service listens
				if time.Since(started) < duration("TEST_UNTIL") {
					w.WriteHeader(http.StatusNotFound)
				}
			default:
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			fmt.Fprint(w, os.Getpid())
		}))
	},
	"polite": func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		fmt.Println("listening for signals")
		<-c
		fmt.Println("goodbye")
		os.Exit(5)
	},
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ignoring signals")
		time.Sleep(time.Minute)
	},
	// parent leaves a child in its group and, told so, ends before it.
	"parent": func() {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "TEST_ROLE="+os.Getenv("TEST_CHILD"))
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Printf("child %d\n", child.Process.Pid)
		time.Sleep(duration("TEST_LIFE"))
	},
	"chatter": func() {
		line := strings.Repeat("x", 1023) + "\n"
		for range 4096 {
			os.Stdout.WriteString(line)
		}
		fmt.Print("the end")
	},
	"number":  func() { fmt.Println(os.Getenv("TEST_SAYS")); fmt.Fprintln(os.Stderr, "token s3cr3t") },
	"environ": func() { fmt.Println(strings.Join(os.Environ(), "\n")) },
	"where":   func() { dir, _ := os.Getwd(); fmt.Println(dir) },
	// idem starts a service and is then killed itself.
	"idem": func() {
		p, err := Start(role("sleep"))
		if err != nil {
			panic(err)
		}
		// Threads come and go meanwhile; the service must not go with them.
		for range 50 {
			done := make(chan struct{})
			go func() { runtime.LockOSThread(); close(done) }()
			<-done
		}
		fmt.Printf("child %d\n", p.PID())
		time.Sleep(time.Minute)
	},
}

func duration(name string) time.Duration {
	d, _ := time.ParseDuration(os.Getenv(name))
	return d
}

func role(name string, env ...string) Command {
	c := Command{Argv: []string{os.Args[0]}, Environ: os.Environ(), Env: [][2]string{{"TEST_ROLE", name}}}
	for i := 0; i < len(env); i += 2 {
		c.Env = append(c.Env, [2]string{env[i], env[i+1]})
	}
	return c
}
