// Package agenttest runs real agents inside the tests of another module: the same link, runner, spool and tokens as the
// program's, with a connector and a pace of the test's choice.
package agenttest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/doctor"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/agent/internal/journal"
	"github.com/grantwright/grantwright/agent/internal/link"
	"github.com/grantwright/grantwright/agent/internal/runner"
	"github.com/grantwright/grantwright/agent/internal/spool"
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Version is what these agents say of themselves.
const Version = "1.2.3"

// Options make an agent. Dir must have been enrolled.
type Options struct {
	Dir string
	// another way to the control plane than the one it was enrolled by, through a bad line for instance
	URL       string
	Connector connectorkit.Connector // runs every call, whatever its type
	// Types are the connector types that the agent offers.
	Types []string
	// Hostname and Machine make it look like another host. Empty: this one.
	Hostname string
	Machine  string
	Log      *slog.Logger

	Ping, Silent, Beat time.Duration // zero: as in production
	Base, Max          time.Duration // of the pauses before connecting again
	SpillAfter         time.Duration
	SpoolBytes         int64 // 0: no spool
}

// Enroll makes dir an agent's data directory with the enrolment token, and gives the agent's id.
func Enroll(ctx context.Context, dir, url, token string) (id string, err error) {
	state, err := enroll.Enroll(
		ctx,
		enroll.Order{Dir: config.Dir(dir), Settings: config.Settings{URL: url}, Token: token, Version: Version},
	)
	return state.AgentID, err
}

// Agent is an agent that runs.
type Agent struct {
	link *link.Link
	stop context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// status is what the agent last said of itself, and err how its run ended.
	status config.Status
	err    error
}

// Start runs an agent until Stop.
func Start(o Options) (*Agent, error) {
	dir := config.Dir(o.Dir)
	tokens, dialer, err := membership(dir, o)
	if err != nil {
		return nil, err
	}
	r := &runner.Runner{
		Open:  func(connectorkit.Env, string) (connectorkit.Connector, error) { return o.Connector, nil },
		Types: o.Types, MaxTasks: runner.DefaultMaxTasks, Log: o.Log, Now: time.Now, SpillAfter: o.SpillAfter,
	}
	if r.Journal, err = journal.Open(dir.Journal(), time.Now); err != nil {
		return nil, err
	}
	if o.SpoolBytes > 0 {
		if r.Spool, err = spool.Open(dir.Spool(), o.SpoolBytes); err != nil {
			return nil, err
		}
	}
	a := &Agent{done: make(chan struct{})}
	a.link = &link.Link{
		Dir:      dir,
		Dialer:   dialer,
		Tokens:   tokens,
		Runner:   r,
		Version:  Version,
		Log:      o.Log,
		Now:      time.Now,
		Changed:  a.changed,
		Hostname: o.Hostname,
		Machine:  o.Machine,
		Pace: link.Pace{
			Ping:   o.Ping,
			Silent: o.Silent,
			Beat:   o.Beat,
			Base:   o.Base,
			Max:    o.Max,
			Look:   20 * time.Millisecond,
		},
	}
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	go a.run(ctx)
	return a, nil
}

// membership reads what enrollment left in the directory: tokens, keys and the way to the control
// plane.
func membership(dir config.Dir, o Options) (*enroll.Tokens, *dial.Dialer, error) {
	settings, err := dir.LoadSettings()
	if err != nil {
		return nil, nil, err
	}
	if o.URL != "" {
		settings.URL = o.URL
	}
	dialer, err := dial.New(settings)
	if err != nil {
		return nil, nil, err
	}
	keys, err := dir.LoadKeys()
	if err != nil {
		return nil, nil, err
	}
	tokens := &enroll.Tokens{
		Dir: dir, Keys: keys, BootID: wire.NewID(time.Now()), Log: o.Log, Now: time.Now,
		Client: &enroll.Client{HTTP: dialer.HTTP(), Base: dialer.Base, Version: Version},
	}
	return tokens, dialer, tokens.Load()
}

// run runs the agent until it is stopped, and keeps the error.
func (a *Agent) run(ctx context.Context) {
	defer close(a.done)
	err := a.link.Run(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// changed keeps the latest status.
func (a *Agent) changed(s config.Status) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status = s
}

// State is what the agent's status file says: connecting, online, offline, revoked or stopped.
func (a *Agent) State() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status.State
}

// Busy is how many calls it runs.
func (a *Agent) Busy() int { return len(a.link.Runner.InFlight()) }

// Spooled is what lies in its spool, in bytes.
func (a *Agent) Spooled() int64 { return a.link.Runner.SpoolBytes() }

// Drain does what grantwright-agent drain does.
func (a *Agent) Drain(on bool) error { return a.link.Dir.SetDrain(on) }

// Renew asks for a new token now.
func (a *Agent) Renew(ctx context.Context) error {
	return a.link.Tokens.Renew(ctx, a.link.Tokens.State().Token)
}

// Stop ends the agent as SIGTERM does, and gives the error it ended with.
func (a *Agent) Stop() error {
	a.stop()
	select {
	case <-a.done:
	case <-time.After(30 * time.Second):
		return fmt.Errorf("the agent does not stop")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// Step is one step of grantwright-agent doctor.
type Step struct{ Name, Status, Detail, Mend, Code string }

// Doctor does what grantwright-agent doctor does with the data directory, and gives its steps by name.
func Doctor(ctx context.Context, dir string) map[string]Step {
	d := &doctor.Doctor{Dir: config.Dir(dir), Version: Version, Now: time.Now}
	steps := map[string]Step{}
	for _, s := range d.Examine(ctx).Steps {
		steps[s.Name] = Step{Name: s.Name, Status: string(s.Status), Detail: s.Detail, Mend: s.Mend, Code: s.Code}
	}
	return steps
}
