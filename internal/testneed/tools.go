package testneed

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Python returns the path of a python3 that can make virtual environments with
// pip in them, which Debian keeps in a package of its own.
func Python(t testing.TB) string {
	t.Helper()
	path := Program(t, "python3")
	if err := exec.Command(path, "-c", "import venv, ensurepip").Run(); err != nil {
		missing(t, "%s cannot make virtual environments: %v", path, err)
	}
	return path
}

// Maven returns the path of the mvn program, where there is a Java compiler
// for it too.
func Maven(t testing.TB) string {
	t.Helper()
	Program(t, "java")
	Program(t, "javac")
	return Program(t, "mvn")
}

// Java returns the path of the java program.
func Java(t testing.TB) string {
	t.Helper()
	return Program(t, "java")
}

// Parallel returns the path of GNU parallel; others have taken its name too.
func Parallel(t testing.TB) string {
	t.Helper()
	path := Program(t, "parallel")
	if said, err := exec.Command(path, "--version").Output(); err != nil || !strings.HasPrefix(string(said), "GNU parallel ") {
		missing(t, "%s is not GNU parallel", path)
	}
	return path
}

// Program returns the path of a program in PATH.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, "%s is not in PATH", name)
	}
	return path
}

// File ends the test where a file is missing that a package of Debian brings.
func File(t testing.TB, name string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		missing(t, "%s is not there", name)
	}
}
