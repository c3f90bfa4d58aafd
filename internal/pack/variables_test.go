package pack

import (
	"strings"
	"testing"
)

func TestVariablesThatAreTheSystemsOwn(t *testing.T) {
	for _, name := range strings.Fields("PATH HOME CI BASH_ENV ENV IFS SHELLOPTS LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS RUNNER_TEMP " +
		"GITHUB_PATH GITHUB_ENV GITHUB_STEP_SUMMARY GITHUB_OUTPUT github_env ACTIONS_RUNTIME_TOKEN IDEM_CONFIG IDEM_FORMAT IDEM_WORKFLOW_TARGET IDEM_ACTION_LIVE HTTP_PROXY https_proxy GOFLAGS path") {
		if !reserved(name) {
			t.Errorf("%s may be a contract's", name)
		}
	}
	for _, name := range strings.Fields("API_TOKEN OTHER_TOKEN IDEM_KEY GITHUB_TOKEN GITHUB_STAGING_TOKEN CHARGES_ADDRESS DATABASE_URL IDEM_VERSION PATHS ENVIRONMENT HOME_URL LDAP_URL GOOGLE_KEY CI_URL") {
		if reserved(name) {
			t.Errorf("%s may not be a contract's", name)
		}
	}
}

// TestWhatTheRunnerHasIsLeftToIt: it is in no workflow, and no error where a
// contract only reads it.
func TestWhatTheRunnerHasIsLeftToIt(t *testing.T) {
	for name, own := range map[string]bool{"GITHUB_WORKSPACE": true, "GITHUB_RUN_ID": true, "RUNNER_TEMP": true, "HOME": true, "GITHUB_TOKEN": false, "API_TOKEN": false} {
		if runners(name) != own {
			t.Errorf("%s: %t", name, !own)
		}
	}
}
