// Package rig runs a whole deployment on one machine the way an operator would: the built programs, their flags, their
// data directories. The demonstration, the end-to-end scenarios and the measurements stand on it.
package rig

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/process"
)

// Names of the programs.
const (
	ControlPlaneProgram = "grantwright"
	AgentProgram        = "grantwright-agent"
	TargetsProgram      = "targets"
)

// ControlPlane is the service with its private PostgreSQL.
type ControlPlane struct {
	Bin    string   // directory of the programs
	Data   string   // its own directory
	Listen string   // host:port
	Log    string   // file
	Flags  []string // further flags of serve
	Env    []string // besides our own environment

	*process.Child // nil until it was started
}

// URL is where it answers.
func (c *ControlPlane) URL() string { return "http://" + c.Listen }

// Bootstrap makes a tenant with its first administrator; flags are further ones of the command. again is true when
// there was one by this slug already.
func (c *ControlPlane) Bootstrap(
	ctx context.Context,
	slug, name, email, password string,
	flags ...string,
) (again bool, err error) {
	_, err = process.Run(ctx, process.Spec{
		Name: "grantwright bootstrap",
		Path: filepath.Join(c.Bin, ControlPlaneProgram),
		Log:  c.Log,
		Args: append(
			[]string{
				"bootstrap",
				"--data",
				c.Data,
				"--tenant",
				slug,
				"--name",
				name,
				"--admin-email",
				email,
				"--admin-password-stdin",
			},
			flags...),
	}, password+"\n")
	if err != nil && strings.Contains(err.Error(), "exists already") {
		return true, nil
	}
	return false, err
}

// Start serves. It returns when the service answers.
func (c *ControlPlane) Start(ctx context.Context) (err error) {
	c.Child, err = process.Start(process.Spec{
		Name: "the control plane", Path: filepath.Join(c.Bin, ControlPlaneProgram), Log: c.Log,
		Args: append([]string{"serve", "--listen", c.Listen, "--data", c.Data}, c.Flags...), Env: c.Env,
	})
	if err != nil {
		return err
	}
	return c.Await(ctx, "answer on "+c.Listen, c.healthy)
}

func (c *ControlPlane) healthy(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL()+"/health", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// Agent is an installed agent.
type Agent struct {
	Bin  string // directory of the programs
	Data string // its own directory
	Log  string // file
	Env  []string

	*process.Child // nil until it was started
}

// Enroll gives the agent its identity, instead of an earlier one if there is one.
func (a *Agent) Enroll(ctx context.Context, url, token string) error {
	_, err := process.Run(ctx, process.Spec{
		Name: "grantwright-agent enroll", Path: filepath.Join(a.Bin, AgentProgram), Log: a.Log,
		Args: []string{"enroll", "--url", url, "--data", a.Data, "--token-stdin", "--replace"},
	}, token+"\n")
	return err
}

// Start runs the agent. It does not wait until it is connected.
func (a *Agent) Start() (err error) {
	a.Child, err = process.Start(process.Spec{
		Name: "the agent",
		Path: filepath.Join(a.Bin, AgentProgram),
		Log:  a.Log,
		Args: []string{"run", "--data", a.Data},
		// The sample systems run beside the agent; a later entry of Env overrules this one.
		Env: append([]string{"GRANTWRIGHT_AGENT_ALLOW_TARGETS=127.0.0.0/8,::1"}, a.Env...),
	})
	return err
}

// FreePort finds a port of the loopback address that nobody listens on now.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// IsFree reports whether an address can be listened on.
func IsFree(addr string) bool {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// Programs checks that a directory holds the programs of a deployment.
func Programs(bin string) error {
	for _, name := range []string{ControlPlaneProgram, AgentProgram, TargetsProgram} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			return fmt.Errorf("the program %s is not in %s; `make build` puts it there: %w", name, bin, err)
		}
	}
	return nil
}
