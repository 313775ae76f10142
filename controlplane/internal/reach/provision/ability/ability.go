package ability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

// Ability is what may be changed through a connector.
type Ability struct {
	// ID is the connector's; Name is what people call it.
	ID   string
	Name string
	// Mode is off, simulate, manual or auto: how the connector's changes are made.
	Mode    string
	Ops     []string // as connectors name them; nil: not known yet
	Missing []string // what the settings allow, and the target was seen not to offer
	WhyNot  string   // what is missing in the connector's settings or in its target, by its own words
	// DeleteAfter is how long after being disabled an account of a leaver is deleted. Nil: never.
	DeleteAfter *time.Duration
	// KeepGroups leaves the memberships of a disabled account as they are.
	KeepGroups bool
	AskRemoved bool // ask before access is provisioned again that was removed in the target system
}

// May says whether tasks of an operation are made at all. What a person does by hand needs no ability of the connector.
func (a Ability) May(operation string) bool {
	switch a.Mode {
	case task.ModeOff:
		return false
	case task.ModeManual:
		return true
	}
	return slices.Contains(a.Ops, string(task.ConnectorOps[operation])) || a.byHand(operation)
}

// byHand says that a person has to make the change although the connector writes: its settings allow the change, and
// the target was seen not to offer it. Sent, it would fail.
func (a Ability) byHand(operation string) bool {
	return a.Mode == task.ModeAuto && slices.Contains(a.Missing, string(task.ConnectorOps[operation]))
}

// ModeOf is how tasks of an operation are done.
func (a Ability) ModeOf(operation string) string {
	if a.byHand(operation) {
		return task.ModeManual
	}
	return a.Mode
}

// WhyByHand is why a person has to make a change that the connector's settings allow; empty where that is not so.
func (a Ability) WhyByHand(operation string) string {
	if !a.byHand(operation) {
		return ""
	}
	return fmt.Sprintf("The connector %s cannot %s: %s", a.Name, Verb(operation), a.WhyNot)
}

// Refusal says why no task of the operation is made.
func (a Ability) Refusal(operation string) string {
	switch {
	case a.Mode == task.ModeOff:
		return fmt.Sprintf("the connector %s writes nothing: its write_mode is off", a.Name)
	case a.May(operation):
		return ""
	case a.Ops == nil:
		return fmt.Sprintf("it is not known yet what can be changed through the connector %s", a.Name)
	case a.WhyNot != "":
		return fmt.Sprintf("the connector %s cannot %s: %s", a.Name, Verb(operation), a.WhyNot)
	}
	return fmt.Sprintf("the connector %s cannot %s", a.Name, Verb(operation))
}

// Verb is an operation in words that follow can, or is to.
func Verb(operation string) string {
	return map[string]string{
		task.CreateAccount: "create accounts", task.UpdateAccount: "change accounts",
		task.RenameAccount: "rename accounts",
		task.Enable:        "enable accounts",
		task.Disable:       "disable accounts", task.DeleteAccount: "delete accounts", task.Unlock: "unlock accounts",
		task.SetPassword: "set passwords",
		task.Grant:       "grant entitlements", task.Revoke: "revoke entitlements",
	}[operation]
}

// Read reads what may be changed through connectors. Those that are deleted are left out.
func Read(ctx context.Context, tx *pg.Tx, connectorIDs []string) (map[string]Ability, error) {
	rules, err := writing.Load(ctx, tx, connectorIDs)
	if err != nil {
		return nil, err
	}
	const sql = `
		select c.id::text, c.name, l.ops, l.ops_missing, coalesce(l.ops_why, '')
		  from connector c
		  left join provisioning_lane l
		    on l.tenant_id = c.tenant_id
		   and l.connector_id = c.id
		   and l.ops_version = c.version
		 where c.id = any($1::text[]::uuid[])
		   and c.deleted_at is null`
	found := map[string]Ability{}
	var a Ability
	if err := pg.Each(ctx, tx, "read abilities", []any{&a.ID, &a.Name, &a.Ops, &a.Missing, &a.WhyNot}, func() error {
		r, known := rules[a.ID]
		if !known {
			return nil
		}
		one := a
		one.Ops, one.Missing = slices.Clone(a.Ops), slices.Clone(a.Missing)
		one.Mode, one.KeepGroups = r.WriteMode, r.Deprovision.KeepGroups
		one.AskRemoved = r.Drift.Access == writing.DriftAsk
		if after, set := r.Deprovision.After(); set {
			one.DeleteAfter = &after
		}
		found[a.ID] = one
		return nil
	}, sql, connectorIDs); err != nil {
		return nil, err
	}
	return found, nil
}

// Why says why nothing, or not everything, is written through a connector now, in words for people; empty when all is
// well. Tasks that were made wait for as long as it holds.
func Why(ctx context.Context, tx *pg.Tx, connectorID string) (string, error) {
	can, err := Read(ctx, tx, []string{connectorID})
	if err != nil {
		return "", err
	}
	a, known := can[connectorID]
	if !known {
		return "there is no such connector any more", nil
	}
	if a.Mode == task.ModeOff {
		return a.Refusal(task.Grant), nil
	}
	if a.Mode == task.ModeSimulate {
		return fmt.Sprintf("the connector %s only simulates: changes are planned and not sent", a.Name), nil
	}
	for _, operation := range []string{task.CreateAccount, task.Grant, task.Revoke, task.Disable} {
		if why := cmp.Or(a.Refusal(operation), a.WhyByHand(operation)); why != "" {
			return why, nil
		}
	}
	w, err := FindWaiting(ctx, tx, connectorID)
	if err != nil || w == nil {
		return "", err
	}
	return w.Reason, nil
}

// Waiting is why the tasks of a connector wait.
type Waiting struct {
	// What keeps it from being sent.
	Code string `json:"code" enum:"switch_off,write_mode_off,connector_not_running,breaker_open,target_unavailable"`
	// Explanation of the code for people, with the recorded reason if there is one.
	Reason string `json:"reason"`
	// When it is retried automatically. Null: after someone has acted.
	Until *time.Time `json:"until"`
}

// WaitingSQL is the SQL of what keeps a connector's tasks from being sent: of a connector c, its provisioning p and its
// lane l.
const WaitingSQL = `
	case when exists (select from provisioning_switch s where s.tenant_id = c.tenant_id and not s.writes)
	     then jsonb_build_object('code', 'switch_off', 'reason',
	         'writing is switched off for the whole tenant' || coalesce(': ' || (select s.reason
	         from provisioning_switch s where s.tenant_id = c.tenant_id), ''))
	     when p.write_mode = 'off'
	     then jsonb_build_object('code', 'write_mode_off', 'reason',
	         'the connector writes nothing: its write_mode is off')
	     when c.status not in ('ready', 'active', 'degraded')
	     then jsonb_build_object('code', 'connector_not_running', 'reason',
	         'the connector is ' || c.status || coalesce(': ' || c.status_reason, ''))
	     when p.breaker_open_since is not null
	     then jsonb_build_object('code', 'breaker_open', 'reason',
	         coalesce(p.breaker_reason, 'too many changes failed or were made; check the cause, then resume writes'))
	     when l.wait_until > now() and l.wait_code is not null
	     then jsonb_build_object('code', 'target_unavailable', 'reason', l.wait_reason, 'until', l.wait_until)
	end`

// AroundConnectorSQL joins to connectors c what WaitingSQL reads.
const AroundConnectorSQL = `
	left join connector_provisioning p on p.tenant_id = c.tenant_id and p.connector_id = c.id
	left join provisioning_lane l on l.tenant_id = c.tenant_id and l.connector_id = c.id`

// FindWaiting returns why nothing is sent through a connector at present; nil if nothing is in the way.
func FindWaiting(ctx context.Context, tx *pg.Tx, connectorID string) (w *Waiting, err error) {
	const sql = `select ` + WaitingSQL + ` from connector c ` + AroundConnectorSQL + ` where c.id = $1`
	err = tx.QueryRow(ctx, sql, connectorID).Scan(&w)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("read what tasks wait for: %w", err)
	}
	return w, nil
}
