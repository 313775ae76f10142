package main

import (
	"context"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/agent/internal/journal"
	"github.com/grantwright/grantwright/agent/internal/link"
	"github.com/grantwright/grantwright/agent/internal/policy"
	"github.com/grantwright/grantwright/agent/internal/runner"
	"github.com/grantwright/grantwright/agent/internal/service"
	"github.com/grantwright/grantwright/agent/internal/spool"
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/connectorkit/memlimit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// The agent is a guest on its host: it stays below 64 MiB while it streams a large directory. Its live heap is a few
// MiB then, so that letting it grow to three times that before collecting costs little memory and saves a quarter of
// the work; the limit catches many tasks at once. GOMEMLIMIT and GOGC overrule.
const (
	memoryLimit = 48 << 20 // of the Go runtime; the program's text comes on top
	gcPercent   = 200
)

// work is the subcommand run: it connects, works and reconnects until it is stopped. Flags win over
// config.json.
func (c command) work(args []string) int {
	set, data := c.flags("run")
	asService := set.Bool("service", false, "set by the service manager's own command line")
	spoolMiB := set.Int(
		"spool-mib",
		-1,
		"how many `MiB` of disk may hold what waits for the control plane; 0: none; default: spool_mib of "+
			"config.json, or 512",
	)
	allow := set.String(
		"allow-targets",
		"",
		"loopback, link-local or metadata `addresses` that connectors may connect to besides allow_targets of "+
			"config.json and "+policy.Env+", with commas, such as 127.0.0.1:389",
	)
	level := set.String("log-level", "info", "least `level` that is logged: debug, info, warn, error")
	if code, done := c.parse(set, args); done {
		return code
	}
	dir, err := absolute(*data)
	if err != nil {
		return c.fail(err)
	}
	var least slog.Level
	if err := least.UnmarshalText([]byte(*level)); err != nil {
		return c.usage("--log-level must be debug, info, warn or error")
	}
	log := newLog(c.err, dir, least, *asService)
	boundMemory()
	if *asService {
		keepCrashes(dir, log)
	}
	l, err := newLink(dir, *allow, log)
	if err != nil {
		log.Error("agent cannot start", "err", err)
		if !*asService {
			return codeOf(err)
		}
		// The service manager must get an answer before it gets the failure.
		return service.Run(service.Work{Run: func(context.Context) int { return codeOf(err) }, Alive: func() {}}, true)
	}
	return service.Run(service.Work{
		Run:   func(ctx context.Context) int { return run(ctx, l, dir, *spoolMiB, log) },
		Alive: func() { l.Runner.InFlight() },
	}, *asService)
}

// run works until ctx ends. A spoolMiB below 0 leaves the spool's size to the settings.
func run(ctx context.Context, l *link.Link, dir config.Dir, spoolMiB int, log *slog.Logger) int {
	unlock, err := dir.Lock()
	if err == nil {
		defer unlock()
		l.Runner.Spool = openSpool(dir, spoolMiB, log)
		if l.Runner.Journal = openJournal(dir, log); l.Runner.Journal != nil {
			defer l.Runner.Journal.Close()
		}
		state := l.Tokens.State()
		log.Info(
			"agent starts",
			"version",
			l.Version,
			"agent",
			state.AgentID,
			"name",
			state.Name,
			"control_plane",
			l.Dialer.Base.Host,
		)
		err = l.Run(ctx)
	}
	if err != nil {
		log.Error("agent ended", "err", err)
		return codeOf(err)
	}
	log.Info("agent stopped")
	return exitOK
}

// openSpool makes the spool, once no other agent can be using it. Without one the agent works too: it reads less far
// ahead.
func openSpool(dir config.Dir, mib int, log *slog.Logger) *spool.Spool {
	settings, err := dir.LoadSettings()
	if err == nil && mib < 0 {
		mib = spool.DefaultMax >> 20
		if settings.SpoolMiB != nil {
			mib = *settings.SpoolMiB
		}
	}
	if err != nil || mib <= 0 {
		return nil
	}
	s, err := spool.Open(dir.Spool(), int64(mib)<<20)
	if err != nil {
		log.Warn("there is no spool: reading waits whenever the control plane has no room", "err", err)
		return nil
	}
	return s
}

// openJournal reads the journal of changes. Without one the agent reads and changes nothing.
func openJournal(dir config.Dir, log *slog.Logger) *journal.Journal {
	j, err := journal.Open(dir.Journal(), time.Now)
	if err != nil {
		log.Error(
			"there is no journal of changes: nothing will be changed in target systems until this is mended",
			"err",
			err,
		)
		return nil
	}
	return j
}

// boundMemory keeps the agent small on hosts that it shares: a soft limit for the heap, and more
// frequent garbage collection unless GOGC says otherwise.
func boundMemory() {
	memlimit.Set(memoryLimit)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// newLink puts the agent together.
func newLink(dir config.Dir, allow string, log *slog.Logger) (*link.Link, error) {
	settings, err := dir.LoadSettings()
	if err != nil {
		return nil, err
	}
	dialer, err := dial.New(settings)
	if err != nil {
		return nil, err
	}
	targets, err := policy.Parse(append(settings.AllowTargets, os.Getenv(policy.Env), allow)...)
	if err != nil {
		return nil, err
	}
	keys, err := dir.LoadKeys()
	if err != nil {
		return nil, err
	}
	tokens := &enroll.Tokens{
		Dir: dir, Keys: keys, BootID: wire.NewID(time.Now()), Log: log, Now: time.Now,
		Client: &enroll.Client{HTTP: dialer.HTTP(), Base: dialer.Base, Version: buildVersion()},
	}
	if err := tokens.Load(); err != nil {
		return nil, err
	}
	return &link.Link{
		Dir: dir, Dialer: dialer, Tokens: tokens, Runner: newRunner(tokens.State().AgentID, dir, targets, log),
		Version: buildVersion(), Log: log, Now: time.Now, Changed: sayState,
	}, nil
}

// newRunner makes what runs the tasks. Connectors reach their targets only through the policy of
// special addresses, and what they reached is remembered for doctor.
func newRunner(agentID string, dir config.Dir, allowed policy.Policy, log *slog.Logger) *runner.Runner {
	// Without a name the answers just do not say it.
	host, _ := os.Hostname()
	direct := net.Dialer{Timeout: 20 * time.Second, KeepAlive: 30 * time.Second}
	targets := &config.Targets{Dir: dir, Now: time.Now}
	return &runner.Runner{
		Open: connectors.Open, Types: catalog.Types(), MaxTasks: runner.DefaultMaxTasks, Log: log, Now: time.Now,
		Env: connectorkit.Env{
			Dial: targets.Dial(allowed.Dial(direct)),
			// Inside a site it is the operator's choice; the answer carries a warning.
			Plaintext:        func(context.Context, string) (bool, error) { return true, nil },
			AllowInsecureTLS: true, Log: log, Now: time.Now,
			By: v1.ExecutedBy{Mode: "agent", AgentID: agentID, Hostname: host},
		},
	}
}

// sayState sends the agent's state to the service manager.
func sayState(s config.Status) {
	text := s.State
	if s.LastError != "" {
		text += ": " + s.LastError
	}
	service.SetStatusText(text)
}
