package provision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var ctx = context.Background()

func text(s string) *string { return &s }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// target is a system of people and groups in memory, behind the door through which changes go. What it is asked for it
// does, unless the test says that something goes wrong.
type target struct {
	mu       sync.Mutex
	accounts map[string]*login // by key
	sent     []string          // what was asked for, in words, in the order in which it came
	done     map[string]int    // how often each change was executed, by its key
	reads    int
	delay    time.Duration
	// wrong, where set, is asked before a change is made; one that is handled is not made.
	wrong func(req v1.ProvisionRequest) (res v1.ProvisionResponse, err error, handled bool)
	// after, where set, is called when a change was made, before it is told.
	after func(req v1.ProvisionRequest)
	// blind systems do not show what they have.
	blind bool
	// nearsighted connectors neither find nor disprove an account that lies outside of what they read.
	nearsighted bool
	ops         []v1.ProvisionOp
	by          time.Duration // spent here
}

type login struct {
	key, name, email string
	disabled, locked bool
	outside          bool // of what syncs read
	groups           map[string]bool
}

func newTarget() *target {
	return &target{
		accounts: map[string]*login{},
		done:     map[string]int{},
		ops: []v1.ProvisionOp{
			v1.OpAccountCreate,
			v1.OpAccountUpdate,
			v1.OpAccountRename,
			v1.OpAccountEnable,
			v1.OpAccountDisable,
			v1.OpAccountUnlock,
			v1.OpAccountDelete,
			v1.OpAccountPassword,
			v1.OpEntitlementGrant,
			v1.OpEntitlementRevoke,
		},
	}
}

func (t *target) Writes(string, v1.AuthConfig) connectorkit.Writes {
	return connectorkit.Writes{Ops: t.ops}
}

func (t *target) find(p v1.ProvisionTarget) *login {
	if a := t.accounts[p.RemoteID]; a != nil {
		return a
	}
	for _, a := range t.accounts {
		if p.RemoteID == "" && a.name == p.Username {
			return a
		}
	}
	return nil
}

func (t *target) shown(a *login) *v1.RemoteAccount {
	if a == nil || t.blind {
		return nil
	}
	disabled, locked := a.disabled, a.locked
	r := &v1.RemoteAccount{
		ExternalID:     a.key,
		NativeIdentity: "uid=" + a.name,
		Username:       text(a.name),
		IsDisabled:     &disabled,
		IsLocked:       &locked,
	}
	if a.email != "" {
		r.Email = text(a.email)
	}
	return r
}

func (t *target) Provision(
	ctx context.Context,
	_ dispatch.Target,
	req v1.ProvisionRequest,
) (v1.ProvisionResponse, error) {
	began := time.Now()
	if t.delay > 0 {
		time.Sleep(t.delay)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() { t.by += time.Since(began) }()
	if req.DryRun {
		return v1.ProvisionResponse{
			Success: true,
			Outcome: v1.OutcomePlanned,
			Plan: []v1.PlannedRequest{
				{LDAP: &v1.PlannedLDAP{Op: "modify", DN: req.Target.NativeRef, LDIF: words(req)}},
			},
		}, nil
	}
	t.sent = append(t.sent, words(req))
	if t.wrong != nil {
		if res, err, handled := t.wrong(req); handled {
			return res, err
		}
	}
	a := t.find(req.Target)
	if req.Op != v1.OpAccountCreate && a != nil && a.outside && t.nearsighted {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:     v1.ClassNotFound,
			Code:      "account_not_visible",
			Message:   "the account was not seen",
			Retryable: true,
		}
	}
	if a == nil && req.Op != v1.OpAccountCreate && req.Op != v1.OpAccountDelete {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   v1.ClassNotFound,
			Code:    "ldap_32",
			Message: "there is no such account",
		}
	}
	res := v1.ProvisionResponse{Success: true, Outcome: v1.OutcomeApplied, Verified: !t.blind}
	switch req.Op {
	case v1.OpAccountCreate:
		if a != nil {
			return v1.ProvisionResponse{}, &v1.ErrorDetail{
				Class:   v1.ClassConflict,
				Code:    "ldap_68",
				Message: "entry already exists",
			}
		}
		a = &login{key: uuid.NewString(), name: *req.Account.Username, groups: map[string]bool{}}
		if req.Account.Email != nil {
			a.email = *req.Account.Email
		}
		t.accounts[a.key] = a
	case v1.OpAccountDisable, v1.OpAccountEnable:
		a.disabled = req.Op == v1.OpAccountDisable
	case v1.OpAccountUnlock:
		a.locked = false
	case v1.OpAccountRename:
		a.name = *req.Account.Username
	case v1.OpAccountDelete:
		if a != nil {
			delete(t.accounts, a.key)
		}
		a = nil
	case v1.OpEntitlementGrant:
		a.groups[req.EntitlementRemoteIDs[0]] = true
	case v1.OpEntitlementRevoke:
		delete(a.groups, req.EntitlementRemoteIDs[0])
	}
	t.done[req.IdempotencyKey]++
	res.Account = t.shown(a)
	if t.after != nil {
		t.after(req)
	}
	return res, nil
}

func words(req v1.ProvisionRequest) string {
	name := req.Target.Username
	return strings.TrimSpace(string(req.Op) + " " + name + " " + strings.Join(req.EntitlementRemoteIDs, " "))
}

func (t *target) Read(_ context.Context, _ dispatch.Target, req v1.ReadRequest) (v1.ReadResponse, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads++
	var res v1.ReadResponse
	for _, p := range req.Accounts {
		a := t.find(p)
		seen := v1.ReadAccount{Target: p, Account: t.shown(a)}
		switch {
		case a == nil:
			seen.Presence = v1.PresenceGone
		case a.outside && t.nearsighted:
			seen.Account, seen.Presence, a = nil, v1.PresenceUnknown, nil
		case a.outside:
			seen.Presence = v1.PresenceNotVisible
		}
		res.Accounts = append(res.Accounts, seen)
		for _, e := range req.Entitlements {
			if a != nil {
				res.Grants = append(
					res.Grants,
					v1.GrantState{AccountRemoteID: a.key, EntitlementRemoteID: e.RemoteID, Held: a.groups[e.RemoteID]},
				)
			}
		}
	}
	return res, nil
}

func (t *target) order() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.sent)
}

func (t *target) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = nil
}

// twice are the changes that were executed more than once.
func (t *target) twice() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, times := range t.done {
		if times > 1 {
			n++
		}
	}
	return n
}

// opener opens every connector as it is, without secrets. What its target offers is what the last test has seen.
type opener struct{}

func (opener) Open(ctx context.Context, tx *pg.Tx, id string) (o callable.Connector, err error) {
	o.Target = dispatch.Target{Tenant: tx.Viewer.Tenant, ConnectorID: id, Mode: dispatch.Hosted}
	const sql = `
		select id::text, business_id, name, type, purpose, status, last_test -> 'operations'
		  from connector where id = $1`
	err = tx.QueryRow(ctx, sql, id).Scan(&o.ID, &o.BusinessID, &o.Name, &o.Type, &o.Purpose, &o.Status, &o.Offers)
	o.Target.Type = o.Type
	return o, err
}

// house has a target system, and one process that makes its changes.
type house struct {
	*recordtest.House
	target    *target
	s         *provision.Service
	connector string
	// admit, where set, says which grants are held.
	admit func(ctx context.Context, tx *pg.Tx, ids []string) ([]taskstore.Held, error)
}

func Open(t testing.TB) *house {
	t.Helper()
	h := &house{target: newTarget()}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		h.s = h.process(t, db)
		h.s.Cursors = cursors
		return h.s.Routes()
	})
	h.connector = h.system("ad")
	return h
}

// process is one more over the same database.
func (h *house) process(t testing.TB, db *pg.DB) *provision.Service {
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	admit := func(ctx context.Context, tx *pg.Tx, ids []string) ([]taskstore.Held, error) {
		if h.admit == nil {
			return nil, nil
		}
		return h.admit(ctx, tx, ids)
	}
	return &provision.Service{DB: db, Connectors: opener{}, Dispatch: h.target, Log: log, Now: time.Now, Admit: admit}
}

func (h *house) system(name string) string {
	h.T.Helper()
	id := newID()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type, status) values (current_tenant(), $1, $2, $2,
			'rest', 'active')`,
		id,
		name,
	)
	return id
}

// person is somebody whose user name is their name.
func (h *house) person(name string) string {
	h.T.Helper()
	id := h.Person(name, "")
	h.Exec(`update identity set username = $2 where id = $1`, id, name)
	return id
}

// account is one that the target has, with its row.
func (h *house) account(name, owner string) string {
	h.T.Helper()
	id := h.Account(h.connector, name, owner)
	key := h.text(`select external_id from account where id = $1`, id)
	h.target.accounts[key] = &login{key: key, name: name, groups: map[string]bool{}}
	h.Exec(`update account set username = $2, is_disabled = false, account_type = 'person' where id = $1`, id, name)
	return id
}

func (h *house) text(sql string, args ...any) string {
	h.T.Helper()
	all := h.Strings(sql, args...)
	if len(all) != 1 {
		h.T.Fatalf("%d rows of %s; want one", len(all), sql)
	}
	return all[0]
}

func (h *house) as(fn func(tx *pg.Tx) error) {
	h.T.Helper()
	if err := h.DB.As(ctx, h.Tenant, fn); err != nil {
		h.T.Fatal(err)
	}
}

// give gives somebody a reason for an entitlement, or for an account where there is none.
func (h *house) give(who, entitlement string) {
	h.T.Helper()
	r := ledger.Reason{
		IdentityID:  who,
		ConnectorID: h.connector,
		Kind:        ledger.Birthright,
		SourceType:  "policy",
		SourceID:    policy,
	}
	if entitlement != "" {
		r.EntitlementID = &entitlement
	}
	h.as(func(tx *pg.Tx) error { _, err := ledger.Add(ctx, tx, []ledger.Reason{r}); return err })
}

var policy = newID()

func (h *house) take(who string, entitlements ...string) {
	h.T.Helper()
	w := ledger.Which{IdentityIDs: []string{who}}
	if len(entitlements) > 0 {
		w.EntitlementIDs = entitlements
	}
	h.as(func(tx *pg.Tx) error { _, err := ledger.End(ctx, tx, w, time.Time{}, "over", false); return err })
}

func (h *house) drain() {
	h.T.Helper()
	if err := h.s.Drain(ctx); err != nil {
		h.T.Fatal(err)
	}
}

func (h *house) plan() {
	h.T.Helper()
	if _, err := h.s.PlanAll(ctx); err != nil {
		h.T.Fatal(err)
	}
}

// due makes everything that waits for its time due.
func (h *house) due() {
	h.T.Helper()
	h.Exec(
		`update provisioning_task set next_attempt_at = now() - interval '1 second' where state in ('queued',
			'retrying')`,
	)
	h.Exec(`update provisioning_lane set wait_until = null`)
}

// tasks are all tasks in words, the oldest first.
func (h *house) tasks() []string {
	h.T.Helper()
	return h.Strings(`select operation || ' ' || state from provisioning_task order by id`)
}

func (h *house) wants(want ...string) {
	h.T.Helper()
	if got := h.tasks(); !slices.Equal(got, want) {
		h.T.Errorf("tasks %q; want %q", got, want)
	}
}

func (h *house) sent(want ...string) {
	h.T.Helper()
	if got := h.target.order(); !slices.Equal(got, want) {
		h.T.Errorf("the target was asked for %q; want %q", got, want)
	}
}

func (h *house) grantOf(who, entitlement string) string {
	h.T.Helper()
	got := h.Strings(
		`select g.status from access_grant g join account a on a.id = g.account_id where a.identity_id = $1
			and g.entitlement_id = $2`,
		who,
		entitlement,
	)
	return strings.Join(got, ",")
}

func (h *house) accountOf(who string) string {
	h.T.Helper()
	return strings.Join(h.Strings(`select status from account where identity_id = $1 order by id`, who), ",")
}

func object(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}

func pretty(v any) string {
	b, _ := json.MarshalIndent(v, "", " ")
	return string(b)
}
