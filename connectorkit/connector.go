package connectorkit

import (
	"context"
	"log/slog"
	"net"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connector reads a target system. One value serves many calls at once and keeps nothing between them but what Env's
// owner may share, such as rate budgets and OAuth2 tokens: the settings and secrets of a call travel in its request.
//
// Errors are *v1.ErrorDetail wherever the target, its settings or the network are to blame; anything else is a fault of
// the connector itself. A method returns soon after ctx ends, with the connection to the target closed.
type Connector interface {
	// Test probes the connection, step by step, and reports each step as it ends. A target that refuses is not an
	// error: it is a TestResponse without success. Test never changes anything in the target.
	Test(ctx context.Context, req v1.TestRequest, report Report) (v1.TestResponse, error)

	// Discover tells which fields the target has, from its declared schema and from a few sampled records.
	Discover(ctx context.Context, req v1.DiscoverRequest, report Report) (v1.DiscoverResponse, error)

	// Sync reads the target and emits what it finds in pages of whatever size is natural, in a stable order. It attests
	// completeness by Page.Scopes on the last page, and only for what it has read to the end without an error.
	// It holds at most a page in memory. It stops with emit's error when emit fails.
	//
	// With req.Incremental and Options.Cursor it reads what has changed since the run that gave this cursor, by the
	// best way the target offers, and says by Page.Read which. Where that cannot be done it reads everything and says
	// why. Page.Cursor, on the last page, is where the next incremental read starts; it is given on full reads too, and
	// never comes from the reader's clock.
	//
	// Page.Checkpoint says that what was emitted up to and with this page need not be read again. It holds whatever the
	// rest of the read needs: counts for the scopes, the cursor's beginnings. With Options.Checkpoint a read goes on
	// from there; one that cannot be used, because it is too old or of another version, starts the read anew with a
	// warning checkpoint_unusable.
	//
	// Waiting for longer than a few seconds is told to ReportOf(ctx), so that it does not pass for being stuck.
	Sync(ctx context.Context, req v1.SyncRequest, emit Emit) error
}

// Provisioner is a connector that can change its target. A Connector that is none can only be read.
type Provisioner interface {
	Changer

	// Writes says which changes can be made with these settings, and why not where none can. It asks nobody.
	Writes(auth v1.AuthConfig) Writes
}

// Changer makes changes. Besides a Provisioner, the proxy of an agent's connector is one.
type Changer interface {
	// Provision makes one change, reads back, and says what became of it. A refusal of the target is an *v1.ErrorDetail
	// with the target's own words; a request that may have arrived without an answer is a ProvisionResponse without
	// success, of outcome unknown, and never tried again by itself. A record that is already as asked is found by
	// looking, not by taking a target's "already exists" for it. With DryRun nothing is sent but reads.
	Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error)

	// Read tells how the named records are now. A record that is not there is no error.
	Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error)
}

// Writes says what a connector can change.
type Writes struct {
	Ops []v1.ProvisionOp `json:"ops"`
	// Why says what is missing where something is, such as a template that the settings do not declare.
	Why string `json:"why,omitempty"`
}

// Emit hands a page up. It may block for as long as the receiver has no room: that is the back pressure. The page
// belongs to the receiver from then on. Emit is called from one goroutine at a time.
type Emit func(ctx context.Context, page v1.SyncResponse) error

// Report tells how a call gets on. It never blocks for long and may be nil; use Tell.
type Report func(v1.Progress)

// Tell reports p where there is somebody to tell.
func (r Report) Tell(p v1.Progress) {
	if r != nil {
		r(p)
	}
}

type reportKey struct{}

// WithReport lets whoever works under ctx tell how a read gets on.
func WithReport(ctx context.Context, r Report) context.Context {
	return context.WithValue(ctx, reportKey{}, r)
}

// ReportOf is the report that WithReport has put into ctx. It may be nil; use Tell.
func ReportOf(ctx context.Context) Report {
	r, _ := ctx.Value(reportKey{}).(Report)
	return r
}

// Env is what a connector may use of the world around it.
type Env struct {
	// Dial opens every connection to a target, token endpoints included. Hosted mode lends the guarded dialer that
	// refuses private addresses; an agent lends a plain one. It returns a *v1.ErrorDetail of class policy when it
	// refuses.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Plaintext says whether credentials and data may cross to host:port without TLS. A nil error with warn true allows
	// it and asks for a warning in the answer (an agent inside the customer's network).
	Plaintext func(ctx context.Context, hostport string) (warn bool, err error)

	// AllowInsecureTLS permits tls_insecure_skip_verify. Never in hosted mode.
	AllowInsecureTLS bool

	Log *slog.Logger
	Now func() time.Time

	// By is put into test answers, so that the user sees which machine spoke to the target.
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
