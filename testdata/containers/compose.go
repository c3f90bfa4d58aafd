package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// secrets are values that must come from outside, and must be asked for.
var secrets = map[string]string{"POSTGRES_PASSWORD": `p"a$s'w${o}rd#`, "API_TOKEN": `t$$ok en`}

var byDigest = regexp.MustCompile(`^[a-z0-9./-]+:[A-Za-z0-9._-]+@sha256:[0-9a-f]{64}$`)

func load(file string, env map[string]string) (*types.Project, error) {
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir: filepath.Dir(file), ConfigFiles: []types.ConfigFile{{Filename: file}}, Environment: maps.Clone(env), // what is loaded adds to it
	}, func(o *loader.Options) {
		o.SetProjectName("pack", true)
		o.Profiles = []string{"*"}
	})
}

// composition says what is wrong with a Compose file.
func composition(file string) []string {
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, file+": "+fmt.Sprintf(format, args...)) }
	for name := range secrets {
		env := map[string]string{}
		for other, value := range secrets {
			if other != name {
				env[other] = value
			}
		}
		if _, err := load(file, env); err == nil || !strings.Contains(err.Error(), name) {
			add("without %s it says %v", name, err)
		}
	}
	project, err := load(file, secrets)
	if err != nil {
		add("%v", err)
		return wrong
	}
	if names := project.ServiceNames(); !slices.Equal(names, []string{"balancer", "check", "db", "one", "two"}) {
		add("the services are %v", names)
	}
	for name, s := range project.Services {
		for _, what := range service(file, name, s) {
			add("%s: %s", name, what)
		}
	}
	if n := project.Networks["back"]; !n.Internal {
		add("the network back leads out")
	}
	if p := project.Services["db"].Environment["POSTGRES_PASSWORD"]; p == nil || *p != secrets["POSTGRES_PASSWORD"] {
		add("the password does not arrive as it is")
	}
	one, two := project.Services["one"], project.Services["two"]
	if !slices.Equal(one.Command, replaced(two.Command, "two", "one")) || len(one.Command) == 0 {
		add("the replicas differ: %v, %v", one.Command, two.Command)
	}
	return wrong
}

func replaced(words []string, old, with string) []string {
	out := slices.Clone(words)
	for i := range out {
		if out[i] == old {
			out[i] = with
		}
	}
	return out
}

// service says what is wrong with one service.
func service(file, name string, s types.ServiceConfig) []string {
	var wrong []string
	must := func(ok bool, what string) {
		if !ok {
			wrong = append(wrong, what)
		}
	}
	must(s.ReadOnly, "its root is not read-only")
	must(slices.Equal(s.CapDrop, []string{"ALL"}) && len(s.CapAdd) == 0, "it has capabilities")
	must(slices.Equal(s.SecurityOpt, []string{"no-new-privileges:true"}), "it may gain privileges")
	must(!s.Privileged && s.Pid == "" && s.NetworkMode == "" && s.Ipc == "" && len(s.Devices) == 0, "it shares what is the host's")
	must(s.User != "" && !strings.HasPrefix(s.User, "0") && !strings.HasPrefix(s.User, "root"), "it runs as root")
	must(s.MemLimit > 0 && s.PidsLimit > 0, "it has no bounds")
	must(s.HealthCheck != nil && len(s.HealthCheck.Test) > 1 || name == "check", "it has no health check")
	must(s.Build != nil || byDigest.MatchString(s.Image), "its image is not pinned by digest")
	must((len(s.Ports) > 0) == (name == "balancer"), "what it publishes")
	for _, p := range s.Ports {
		must(p.HostIP == "127.0.0.1", "it listens for other machines")
	}
	for _, v := range s.Volumes {
		_, err := os.Stat(v.Source)
		must(v.Type == "bind" && v.ReadOnly && err == nil, "what it mounts: "+v.Source)
		must(!strings.Contains(v.Source, "docker.sock"), "it holds the engine")
	}
	for on, d := range s.DependsOn {
		must(d.Condition == types.ServiceConditionHealthy, "it does not wait for "+on)
	}
	if s.Build != nil {
		for _, arg := range []string{"IDEM_VERSION", "IDEM_REF"} {
			must(s.Build.Args[arg] != nil && *s.Build.Args[arg] != "", "its build is not told "+arg)
		}
		_, err := os.Stat(filepath.Join(s.Build.Context, "Dockerfile"))
		must(err == nil, "its Dockerfile is not there")
	}
	return wrong
}
