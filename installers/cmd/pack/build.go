package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const name = "grantwright-agent"

// build makes the agent's program for a target and gives its path. What git says of the folder is kept out of it: the
// version tells the commit, and a source archive without git gives the same bytes.
func (j *job) build(ctx context.Context, t target) (string, error) {
	path := filepath.Join(j.work, "build", t.os+"-"+t.arch, name)
	if t.os == "windows" {
		path += ".exe"
	}
	environment := []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch}
	_, err := output(ctx, j.source, environment, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+j.described, "-o", path, "./agent/cmd/"+name)
	return path, err
}

// hostProgram is the agent's program in a form that runs here. built was built for t.
func (j *job) hostProgram(ctx context.Context, t target, built string) (string, error) {
	here := target{runtime.GOOS, runtime.GOARCH}
	if t == here {
		return built, nil
	}
	return j.build(ctx, here)
}

// output runs a program in folder and returns what it printed. An error includes the output of the program.
func output(ctx context.Context, folder string, environment []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), environment...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	said := strings.TrimSpace(errs.String())
	if said == "" {
		said = strings.TrimSpace(out.String())
	}
	what := filepath.Base(program)
	if len(args) > 0 {
		what += " " + args[0]
	}
	if said == "" || errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return "", fmt.Errorf("%s: %w:\n%s", what, err, said)
}
