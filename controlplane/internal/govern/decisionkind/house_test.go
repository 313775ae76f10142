package decisionkind_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/linkcheck"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/taskcheck"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/changes"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var ctx = context.Background()

type object = map[string]any

// house serves the inbox and the packages of its kinds.
type house struct {
	*recordtest.House
	kinds   *decisionkind.Service
	inbox   *inbox.Service
	changes *provision.Service
	target  *target
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{target: &target{}}
	quiet := slog.New(slog.DiscardHandler)
	keys, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		d := &dispatch.Dispatcher{
			HostedConnector: func(string) (connectorkit.Connector, error) { return h.target, nil },
		}
		connectors := &connector.Service{DB: db, Seal: keys, Now: time.Now, Log: quiet, Cursors: cursors, Dispatch: d}
		fields := &fieldmap.Service{
			DB:         db,
			Connectors: connectors,
			Cursors:    cursors,
			Compile:    transform.Compile,
			Log:        quiet,
			Now:        time.Now,
		}
		guide := &onboard.Service{DB: db, Connectors: connectors, Fields: fields, Cursors: cursors, Now: time.Now}
		packs := &pack.Service{DB: db, Cursors: cursors, AllowUnsigned: true, Log: quiet, Now: time.Now}
		h.changes = &provision.Service{
			DB:         db,
			Connectors: opener{},
			Dispatch:   h.target,
			Cursors:    cursors,
			Log:        quiet,
			Now:        time.Now,
			Admit:      taskcheck.Admit,
		}
		log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
		h.kinds = &decisionkind.Service{
			DB:      db,
			Fields:  guide,
			Changes: h.changes,
			Packs:   packs.Conflicts(),
			Log:     log,
			Now:     time.Now,

			AdmitLinks: linkcheck.Admit,
		}
		h.inbox = &inbox.Service{DB: db, Cursors: cursors, Log: quiet, Now: time.Now, Answers: h.kinds.Answers()}
		rules := &policy.Service{DB: db, Cursors: cursors, Log: quiet, Now: time.Now}
		held := &changes.Service{DB: db, Cursors: cursors}
		holds := &hold.Service{DB: db, Now: time.Now}
		people, owners := &directory.Service{
			DB:      db,
			Cursors: cursors,
			Now:     time.Now,
		}, &correlate.Service{
			DB:  db,
			Now: time.Now,
		}
		rights := &access.Service{DB: db, Cursors: cursors, Now: time.Now}
		return slices.Concat(
			h.inbox.Routes(),
			held.Routes(),
			holds.Routes(),
			people.Routes(),
			owners.Routes(),
			connectors.Routes(),
			fields.Routes(),
			guide.Routes(),
			h.changes.Routes(),
			packs.Routes(),
			rules.Routes(),
			rights.Routes(),
		)
	})
	h.look()
	return h
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// system adds a connector that writes.
func (h *house) system(name string) string {
	h.T.Helper()
	id := newID()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type, status, last_success_at)
			values (current_tenant(), $1, $2, $2, 'rest', 'active', now())`,
		id,
		name,
	)
	return id
}

// look looks at whatever has a turn, as the worker does, be it put off or not.
func (h *house) look() {
	h.T.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		h.due(h.Tenant)
		n, err := h.kinds.Part(ctx, h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n > 0 {
			continue
		}
		if h.Count(`select count(*) from work_item where kind like 'inbox_%'`) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond) // somebody else is at it
	}
	h.T.Fatal("something has a turn again and again")
}

// due has looked at now what is put off.
func (h *house) due(v viewer.Viewer) {
	h.T.Helper()
	h.ExecAs(v, `update work_item set due_at = now() where kind like 'inbox_%' and due_at > now()`)
}

// sweep looks everything over, as after an hour.
func (h *house) sweep() {
	h.T.Helper()
	h.Exec(`select enqueue_work('inbox_sweep', array[$1::uuid])`, queue.Nobody)
	h.look()
}

const tasks = "/decision-tasks"

// waiting are the open tasks of a kind.
func (h *house) waiting(kind string) []object {
	h.T.Helper()
	h.look()
	return h.Must(200, "admin", "GET", tasks+"?limit=500&state=open&kind="+kind, nil).Items()
}

// one is the only open task of a kind.
func (h *house) one(kind string) object {
	h.T.Helper()
	all := h.waiting(kind)
	if len(all) != 1 {
		h.T.Fatalf("%d tasks of kind %s are open; want one", len(all), kind)
	}
	return all[0]
}

// none expects that nothing of a kind is asked.
func (h *house) none(kind string) {
	h.T.Helper()
	if all := h.waiting(kind); len(all) != 0 {
		h.T.Errorf("%d tasks of kind %s are open, such as %v; want none", len(all), kind, all[0]["title"])
	}
}

func at(task object) string { return tasks + "/" + task["id"].(string) }

// decide decides a task as an administrator.
func (h *house) decide(task object, action, comment string, inputs object) recordtest.Answer {
	h.T.Helper()
	return h.Must(200, "admin", "POST", at(task)+"/decide", choice(action, comment, inputs))
}

func choice(action, comment string, inputs object) object {
	body := object{"action": action}
	if comment != "" {
		body["comment"] = comment
	}
	if inputs != nil {
		body["inputs"] = inputs
	}
	return body
}

// became expects that a task is in a state, and why.
func (h *house) became(task object, state, why string) {
	h.T.Helper()
	h.look()
	got := h.Must(200, "admin", "GET", at(task), nil)
	reason := got.Text("closed_reason")
	if got.Text("state") != state || !strings.Contains(reason, why) {
		h.T.Errorf("%s is %s (%s); want %s (%s)", got.Text("title"), got.Text("state"), reason, state, why)
	}
}

// shows expects words in the summary of a task.
func (h *house) shows(task object, words ...string) {
	h.T.Helper()
	text := fmt.Sprint(task["title"], " ", task["summary"], " ", task["context"])
	for _, w := range words {
		if !strings.Contains(text, w) {
			h.T.Errorf("the task does not say %q: %s", w, text)
		}
	}
}

// actions are the keys of what a task takes.
func actions(task object) string {
	var keys []string
	for _, a := range task["actions"].([]any) {
		keys = append(keys, a.(object)["key"].(string))
	}
	return strings.Join(keys, " ")
}

func member(o any, path ...string) any {
	for _, name := range path {
		m, _ := o.(object)
		o = m[name]
	}
	return o
}

// audited counts entries of the audit log by a user.
func (h *house) audited(action, by string) int {
	h.T.Helper()
	return h.Count(
		`select count(*) from audit_event where action = $1 and event::jsonb -> 'actor' ->> 'display' = $2`,
		action,
		by,
	)
}

// target is a system that does what it is asked, unless it refuses.
type target struct {
	mu      sync.Mutex
	refuses *v1.ErrorDetail
	fields  []v1.DiscoveredField
}

func (t *target) does(fn func()) { t.mu.Lock(); defer t.mu.Unlock(); fn() }

func (t *target) Test(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
	return v1.TestResponse{Success: true}, nil
}

func (t *target) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return v1.DiscoverResponse{Success: true, SchemaDigest: fmt.Sprint(len(t.fields)),
		Objects: []v1.DiscoveredObject{{Kind: "identity", NativeType: "person", Fields: t.fields}}}, nil
}

func (t *target) Sync(context.Context, v1.SyncRequest, connectorkit.Emit) error { return nil }

func (t *target) Writes(string, v1.AuthConfig) connectorkit.Writes {
	return connectorkit.Writes{
		Ops: []v1.ProvisionOp{
			v1.OpAccountCreate,
			v1.OpAccountDisable,
			v1.OpAccountEnable,
			v1.OpAccountDelete,
			v1.OpEntitlementGrant,
			v1.OpEntitlementRevoke,
		},
	}
}

func (t *target) Provision(
	_ context.Context,
	_ dispatch.Target,
	req v1.ProvisionRequest,
) (v1.ProvisionResponse, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refuses != nil {
		return v1.ProvisionResponse{}, t.refuses
	}
	disabled := req.Op == v1.OpAccountDisable
	shown := &v1.RemoteAccount{ExternalID: req.Target.RemoteID, Username: &req.Target.Username, IsDisabled: &disabled}
	return v1.ProvisionResponse{Success: true, Outcome: v1.OutcomeApplied, Verified: true, Account: shown}, nil
}

func (t *target) Read(context.Context, dispatch.Target, v1.ReadRequest) (v1.ReadResponse, error) {
	return v1.ReadResponse{}, nil
}

// opener opens every connector as it is, without secrets.
type opener struct{}

func (opener) Open(ctx context.Context, tx *pg.Tx, id string) (o callable.Connector, err error) {
	o.Target = dispatch.Target{Tenant: tx.Viewer.Tenant, ConnectorID: id, Mode: dispatch.Hosted}
	err = tx.QueryRow(ctx, `select id::text, business_id, name, type, purpose,
		status from connector where id = $1`, id).
		Scan(&o.ID, &o.BusinessID, &o.Name, &o.Type, &o.Purpose, &o.Status)
	o.Target.Type = o.Type
	return o, err
}

// provisioned has changes planned and made in the background until a condition holds.
func (h *house) provisioned(until string, args ...any) {
	h.T.Helper()
	working, stop := context.WithCancel(ctx)
	done := make(chan error, 2)
	plans := &queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: h.changes.Kinds()}
	for _, run := range []func(context.Context) error{h.changes.Run, plans.Run} {
		go func() { done <- run(working) }()
	}
	defer func() { stop(); <-done; <-done }()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if h.Count(`select count(*) where `+until, args...) == 1 {
			return
		}
	}
	h.T.Fatalf("it does not come to pass that %s", until)
}
