package testneed

import (
	"os/exec"
	"testing"
)

// Python returns the path of a python3 that can make virtual environments with
// pip in them, which Debian keeps in a package of its own.
func Python(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "python3 is not in PATH")
	}
	if err := exec.Command(path, "-c", "import venv, ensurepip").Run(); err != nil {
		missing(t, "%s cannot make virtual environments: %v", path, err)
	}
	return path
}

// Maven returns the path of the mvn program, where there is a Java compiler
// for it too.
func Maven(t testing.TB) string {
	t.Helper()
	for _, program := range []string{"java", "javac"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, "%s is not in PATH", program)
		}
	}
	path, err := exec.LookPath("mvn")
	if err != nil {
		missing(t, "mvn is not in PATH")
	}
	return path
}
