package connectorkit

import (
	"context"
	"log/slog"
	"net"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connector reads a target system. One value serves many calls concurrently. It keeps nothing between calls but what
// the owner of its Env may share, such as rate budgets and OAuth2 tokens. The settings and secrets of a call are in its
// request.
//
// Errors caused by the target, its settings or the network are *v1.ErrorDetail. Any other error is a defect of the
// connector. A method returns soon after ctx ends, and closes the connection to the target first.
type Connector interface {
	// Test probes the connection step by step, and reports each step when it ends. If the target refuses, the result
	// is a TestResponse without success, not an error. Test never changes the target.
	Test(ctx context.Context, req v1.TestRequest, report Report) (v1.TestResponse, error)

	// Discover returns the fields of the target, from its declared schema and from a few sampled records.
	Discover(ctx context.Context, req v1.DiscoverRequest, report Report) (v1.DiscoverResponse, error)

	// Sync reads the target and emits its records in pages of any size, in a stable order. It keeps at most one page
	// in memory. Page.Scopes on the last page attest completeness, only for what was read to the end without an error.
	// If emit fails, Sync stops and returns its error.
	//
	// With req.Incremental and Options.Cursor, Sync reads the changes since the run that returned this cursor, in the
	// best way that the target offers, and names it in Page.Read. If that is impossible, it reads everything and gives
	// the reason. Page.Cursor on the last page is the start of the next incremental read. Full reads return it too. It
	// never comes from the clock of this machine.
	//
	// Page.Checkpoint means that the records up to the end of this page need not be read again. It contains all that
	// the rest of the read needs, such as counts for the scopes. With Options.Checkpoint, a read continues from there.
	// A checkpoint that is too old or of another version starts the read from the beginning, with the warning
	// checkpoint_unusable.
	//
	// Sync reports waits of more than a few seconds to ReportOf(ctx). Otherwise the run counts as stuck.
	Sync(ctx context.Context, req v1.SyncRequest, emit Emit) error
}

// Provisioner is a connector that can change its target. Any other Connector is read-only.
type Provisioner interface {
	Changer

	// Writes returns the changes that are possible with these settings, or the reason why none are. It makes no call.
	Writes(auth v1.AuthConfig) Writes
}

// Changer makes changes in a target. Provisioners implement it, and so does the proxy for connectors on an agent.
type Changer interface {
	// Provision makes one change, reads it back and returns the outcome. A refusal by the target is an *v1.ErrorDetail
	// with the target's own message. A request that may have arrived but got no answer is a ProvisionResponse without
	// success and with outcome unknown. It is never retried automatically. Whether a record already has the requested
	// state is found by reading it, not by the target's message "already exists". With DryRun, only reads are sent.
	Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error)

	// Read returns the current state of the named records. A record that does not exist is not an error.
	Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error)
}

// Writes lists the changes that a connector can make.
type Writes struct {
	Ops []v1.ProvisionOp `json:"ops"`
	// Why names what is missing for further changes, such as a template that the settings do not declare.
	Why string `json:"why,omitempty"`
}

// Emit passes a page to the receiver, which owns it from then on. It blocks while the receiver has no capacity; this is
// the back pressure. Emit is called by one goroutine at a time.
type Emit func(ctx context.Context, page v1.SyncResponse) error

// Report receives the progress of a call. It does not block for long. It may be nil; use Send.
type Report func(v1.Progress)

// Send passes p to r, or does nothing if r is nil.
func (r Report) Send(p v1.Progress) {
	if r != nil {
		r(p)
	}
}

type reportKey struct{}

// WithReport returns a context whose calls report their progress to r.
func WithReport(ctx context.Context, r Report) context.Context {
	return context.WithValue(ctx, reportKey{}, r)
}

// ReportOf returns the report that WithReport set in ctx. It may be nil; use Send.
func ReportOf(ctx context.Context) Report {
	r, _ := ctx.Value(reportKey{}).(Report)
	return r
}

// Env is the environment of a connector: its network, clock and log.
type Env struct {
	// Dial opens every connection to a target, also to token endpoints. In hosted mode it refuses private addresses; in
	// an agent it does not. A refusal is a *v1.ErrorDetail of class policy.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Plaintext reports whether credentials and data may be sent to host:port without TLS. A nil error with warn true
	// allows it, and requires a warning in the response. Agents in the customer's network return it.
	Plaintext func(ctx context.Context, hostport string) (warn bool, err error)

	// AllowInsecureTLS permits tls_insecure_skip_verify. Never in hosted mode.
	AllowInsecureTLS bool

	Log *slog.Logger
	Now func() time.Time

	// By is part of test responses. It names the process that called the target.
	By v1.ExecutedBy
}

// Field describes one connection setting of a connector type: it becomes a form field of the wizard, a member of
// connection or credentials in the API, and a key of auth_config on the wire.
type Field struct {
	Key       string   `json:"key"`
	Label     string   `json:"label"`
	Help      string   `json:"help,omitempty"`
	Type      string   `json:"type"` // string, integer, boolean, enum, string_list, object
	Enum      []string `json:"enum,omitempty"`
	Default   any      `json:"default,omitempty"`
	Required  bool     `json:"required"`
	Secret    bool     `json:"secret"`
	Advanced  bool     `json:"advanced,omitempty"`
	DependsOn string   `json:"depends_on,omitempty"` // key of another field ...
	// ... that must have one of these values for this field to apply
	DependsVals []string `json:"depends_vals,omitempty"`
	Min         *int     `json:"min,omitempty"`
	Max         *int     `json:"max,omitempty"`
}
