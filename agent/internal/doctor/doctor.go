// Package doctor diagnoses the connection of an agent to its control plane step by step, with a remedy for each failed
// step. It changes nothing: it runs beside a working agent, before enrolment, and without the service's privileges,
// and reports the checks that it had to skip.
package doctor

import (
	"context"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/policy"
	"github.com/grantwright/grantwright/agent/internal/spool"
)

// Status is how a step ended.
type Status string

// Statuses. A step is skipped where it does not apply, cannot be looked at, or one before it failed.
const (
	Pass Status = "PASS"
	Fail Status = "FAIL"
	Skip Status = "SKIP"
)

// Names of the steps, in their order.
const (
	Config    = "config"
	DataDir   = "data_dir"
	Identity  = "identity"
	DNS       = "dns"
	TCP       = "tcp"
	Proxy     = "proxy"
	TLS       = "tls"
	HTTP      = "http"
	Clock     = "clock"
	Auth      = "auth"
	Websocket = "websocket"
	Ping      = "ping"
	Echo      = "echo"
	Spool     = "spool"
	Policy    = "policy"
	Targets   = "targets"
)

// Step is what was found in one step. It never holds a secret.
type Step struct {
	// Name is stable, for scripts; Detail is for people.
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Mend   string `json:"mend,omitempty"` // what to do about it
	Code   string `json:"code,omitempty"` // of the control plane's refusal, such as agent_revoked
	// Millis is how long the step took.
	Millis int64 `json:"ms"`
}

// Report is the outcome of all steps.
type Report struct {
	Version      string    `json:"version"`
	At           time.Time `json:"at"`
	DataDir      string    `json:"data_dir"`
	ControlPlane string    `json:"control_plane,omitempty"`
	Enrolled     bool      `json:"enrolled"`
	// OK says that no step failed.
	OK    bool   `json:"ok"`
	Steps []Step `json:"steps"`
}

// Failed is the first step that failed, nil when none did.
func (r Report) Failed() *Step {
	for i := range r.Steps {
		if r.Steps[i].Status == Fail {
			return &r.Steps[i]
		}
	}
	return nil
}

// Doctor examines one agent. All fields but Settings and Roots must be set.
type Doctor struct {
	Dir      config.Dir
	Settings *config.Settings // instead of those in Dir, before enrolment for instance
	Version  string
	Now      func() time.Time

	// AllowTargets is what the environment allows connectors to connect to, besides the settings.
	AllowTargets string

	// Roots are the public authorities; nil: those that browsers trust.
	Roots *x509.CertPool
}

// exam is one examination: what earlier steps found out for later ones.
type exam struct {
	*Doctor
	settings config.Settings
	state    config.State
	keys     config.Keys
	keyed    bool // keys and state could be read
	enrolled bool
	dialer   *dial.Dialer
	proxied  string // the proxy's host and port; empty: the way is direct
	failed   string // the first step on the way to the control plane that failed
	date     *http.Header
	skew     time.Duration
	socket   *trial
	limit    int64 // of the spool, in bytes
	allowed  policy.Policy
}

// finding is what a step says.
type finding struct {
	status Status
	// mend is what to do about it, and code the control plane's stable code.
	detail, mend, code string
}

// onTheWay are the steps of which each needs those before it.
var onTheWay = map[string]bool{
	DNS:       true,
	TCP:       true,
	Proxy:     true,
	TLS:       true,
	HTTP:      true,
	Auth:      true,
	Websocket: true,
	Ping:      true,
	Echo:      true,
}

// stepTime is how long one step may take.
const stepTime = 25 * time.Second

// Examine takes all steps. It returns early, with the rest skipped, when ctx ends.
func (d *Doctor) Examine(ctx context.Context) Report {
	e := &exam{Doctor: d, limit: spool.DefaultMax}
	r := Report{Version: d.Version, At: d.Now().UTC(), DataDir: string(d.Dir), OK: true}
	for _, s := range []struct {
		name string
		look func(context.Context) finding
	}{
		{Config, e.config}, {DataDir, e.dataDir}, {Identity, e.identity}, {DNS, e.dns}, {TCP, e.tcp}, {Proxy, e.proxy},
		{TLS, e.tls},
		{HTTP, e.http}, {Clock, e.clock}, {Auth, e.auth}, {Websocket, e.websocket}, {Ping, e.ping}, {Echo, e.echo},
		{Spool, e.spool}, {Policy, e.policy}, {Targets, e.targets},
	} {
		began := time.Now()
		f := e.take(ctx, s.name, s.look)
		if f.status == Fail {
			r.OK = false
			if e.failed == "" && (onTheWay[s.name] || s.name == Config) {
				e.failed = s.name
			}
		}
		r.Steps = append(r.Steps, Step{
			Name:   s.name,
			Status: f.status,
			Detail: f.detail,
			Mend:   f.mend,
			Code:   f.code,
			Millis: time.Since(began).Milliseconds(),
		})
	}
	if e.socket != nil {
		e.socket.close()
	}
	if e.dialer != nil {
		r.ControlPlane = e.dialer.Base.Host
	}
	r.Enrolled = e.enrolled
	return r
}

// take runs one step within its time limit, or skips it: steps on the way to the control plane
// depend on those before them.
func (e *exam) take(ctx context.Context, name string, look func(context.Context) finding) finding {
	switch {
	case ctx.Err() != nil:
		return skip("stopped before this step")
	case onTheWay[name] && e.failed != "":
		return skip("not tried, since %s failed", e.failed)
	case onTheWay[name] && e.dialer == nil:
		return skip("the control plane's address is not known")
	}
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	return look(ctx)
}
