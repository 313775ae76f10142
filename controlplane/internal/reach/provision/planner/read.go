package planner

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// readPeople reads people with everything that a plan of them depends on.
func readPeople(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	urgent bool,
) ([]*plan.Person, map[string]ability.Ability, error) {
	life, err := rules.Find(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	settings := plan.Conditions{
		Leave:       life.LeaveAccess,
		DeleteAfter: life.DeleteAfter,
		Zone:        life.Zone(),
		Urgent:      urgent,
		Offers:      map[string]plan.Offer{},
	}
	found, err := gather[plan.Person](
		ctx,
		tx,
		`select i.id, i.status, i.urgent, i.status_changed_at, now() as now, `+KnownSQL+` as known from identity i where
			i.id = any($1::text[]::uuid[]) order by i.id`,
		ids,
	)
	if err != nil {
		return nil, nil, err
	}
	people, byID := make([]*plan.Person, len(found)), map[string]*plan.Person{}
	for i := range found {
		p := &found[i]
		people[i] = p
		p.Prepare()
		settings.Now = p.Now
		byID[p.ID] = p
	}
	wants, err := ledger.Desired(ctx, tx, ids)
	if err != nil {
		return nil, nil, err
	}
	systems := map[string]bool{}
	for _, w := range wants {
		if p := byID[w.IdentityID]; p != nil {
			p.Wants = append(p.Wants, w)
			systems[w.ConnectorID] = true
		}
	}
	if err := accountsOf(ctx, tx, ids, byID, systems); err != nil {
		return nil, nil, err
	}
	entitlements, err := historyOf(ctx, tx, ids, byID)
	if err != nil {
		return nil, nil, err
	}
	if err := grantsOf(ctx, tx, ids, entitlements, byID, settings.Offers); err != nil {
		return nil, nil, err
	}
	if err := tasksOf(ctx, tx, ids, byID); err != nil {
		return nil, nil, err
	}
	var connectors []string
	for id := range systems {
		connectors = append(connectors, id)
	}
	slices.Sort(connectors)
	if settings.Connectors, err = ability.Read(ctx, tx, connectors); err != nil {
		return nil, nil, err
	}
	for _, p := range people {
		p.Settings = settings
	}
	return people, settings.Connectors, nil
}

// gather runs a query and scans each row into a T by the names of its columns.
func gather[T any](ctx context.Context, tx *pg.Tx, sql string, args ...any) ([]T, error) {
	return pg.All[T](ctx, tx, "look at people's access", sql, args...)
}

// accountsOf adds the accounts of people, in the order of their IDs. A deleted account counts if it
// is only missing from syncs: the person then has lost access that a reason asks for, and the
// target may still have the account. systems collects the connectors that the plan is about.
func accountsOf(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	people map[string]*plan.Person,
	systems map[string]bool,
) error {
	const sql = `
		select a.id, a.identity_id, a.connector_id, a.status, coalesce(a.is_disabled, false) as is_disabled, a.managed,
		       a.account_type, a.created_at, a.wanted_at, a.disabled_for, a.disabled_at
		  from account a
		 where a.identity_id = any($1::text[]::uuid[])
		   and a.status <> 'disconnected'
		   and (a.status <> 'deleted' or a.missing_since is not null)
		 order by a.id`
	accounts, err := gather[plan.Account](ctx, tx, sql, ids)
	for _, a := range accounts {
		p := people[a.IdentityID]
		switch {
		case p == nil:
		case a.Status == "deleted":
			p.Lost[a.ConnectorID] = p.Lost[a.ConnectorID] || a.WantedAt != nil
			p.Unseen, systems[a.ConnectorID] = append(p.Unseen, a), true
		default:
			p.Accounts = append(p.Accounts, a)
			systems[a.ConnectorID] = true
		}
	}
	return err
}

// asked is what a reason asks for, or has asked for.
type asked struct {
	IdentityID    string  `db:"identity_id"`
	EntitlementID string  `db:"entitlement_id"`
	AccountID     *string `db:"account_id"`
	// Kind is the reason's kind, such as role.
	Kind string `db:"kind"`
}

// historyOf reads what reasons have ever asked for, and gives those entitlements.
func historyOf(ctx context.Context, tx *pg.Tx, ids []string, people map[string]*plan.Person) ([]string, error) {
	const sql = `
		select distinct on (r.identity_id, r.entitlement_id, r.account_id) r.identity_id, r.entitlement_id,
		    r.account_id, r.kind
		  from access_reason r
		 where r.identity_id = any($1::text[]::uuid[])
		   and r.effect = 'allow'
		   and r.entitlement_id is not null
		   and r.state <> 'scheduled'
		 order by r.identity_id, r.entitlement_id, r.account_id, r.created_at desc`
	all, err := gather[asked](ctx, tx, sql, ids)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, a := range all {
		seen[a.EntitlementID] = true
		p := people[a.IdentityID]
		if p == nil {
			continue
		}
		before := p.History[a.EntitlementID]
		if before.Accounts == nil {
			before.Accounts = map[string]bool{}
		}
		before.Kind = a.Kind
		before.Accounts[task.TextOf(a.AccountID)] = true
		p.History[a.EntitlementID] = before
	}
	entitlements := make([]string, 0, len(seen))
	for id := range seen {
		entitlements = append(entitlements, id)
	}
	return entitlements, nil
}

// grantsOf reads the grants that reasons have asked for, and what can be granted at all. What is native stays unread.
func grantsOf(
	ctx context.Context,
	tx *pg.Tx,
	ids, entitlements []string,
	people map[string]*plan.Person,
	offers map[string]plan.Offer,
) error {
	const sql = `
		select a.identity_id, g.id, g.account_id, g.entitlement_id, g.status, g.directness, g.immutable, g.ends_at,
		       g.wanted_at, g.reappeared, g.status = 'revoked' and g.missing_since is not null
		           and g.suppress_reimport_until is null and g.wanted_at is not null
		  from account a
		  join access_grant g
		    on g.tenant_id = a.tenant_id
		   and g.account_id = a.id
		   and (g.wanted_at is not null or g.entitlement_id = any($2::text[]::uuid[]))
		 where a.identity_id = any($1::text[]::uuid[])`
	var owner string
	var g plan.Grant
	seen := map[string]bool{}
	if err := pg.Each(ctx, tx, "look at people's grants", []any{
		&owner,
		&g.ID,
		&g.AccountID,
		&g.EntitlementID,
		&g.Status,
		&g.Directness,
		&g.Immutable,
		&g.EndsAt,
		&g.WantedAt,
		&g.Reappeared,
		&g.Removed,
	}, func() error {
		if p := people[owner]; p != nil {
			p.Grants[plan.Pair{Account: g.AccountID, Entitlement: g.EntitlementID}] = g
			seen[g.EntitlementID] = true
		}
		g.EndsAt, g.WantedAt = nil, nil
		return nil
	}, sql, ids, entitlements); err != nil {
		return err
	}
	for _, id := range entitlements {
		seen[id] = true
	}
	all := make([]string, 0, len(seen))
	for id := range seen {
		all = append(all, id)
	}
	const rights = `
		select id::text, grantable and removed_at is null and lifecycle <> 'retired', revocable and removed_at is null
		  from entitlement where id = any($1::text[]::uuid[])`
	var id string
	var o plan.Offer
	return pg.Each(ctx, tx, "read what entitlements allow", []any{&id, &o.Grantable, &o.Revocable}, func() error {
		offers[id] = o
		return nil
	}, rights, all)
}

// tasksOf reads the tasks about people's accounts and grants that have not ended, or whose end nothing has shown yet.
func tasksOf(ctx context.Context, tx *pg.Tx, ids []string, people map[string]*plan.Person) error {
	const sql = `
		select a.identity_id, t.id, t.connector_id, t.operation, t.account_id, t.grant_id, t.state, t.mode, t.lane,
		       t.unsure, t.payload ->> 'disabled_for', coalesce(t.payload ->> 'before', '')
		  from account a
		  join provisioning_task t
		    on t.tenant_id = a.tenant_id
		   and t.account_id = a.id
		   and t.state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual', 'verifying')
		   and t.mode <> 'simulate'
		 where a.identity_id = any($1::text[]::uuid[])
		 order by t.state = 'verifying', t.state = 'blocked', t.id desc`
	var owner string
	var t task.Open
	scan := []any{
		&owner,
		&t.ID,
		&t.ConnectorID,
		&t.Operation,
		&t.AccountID,
		&t.GrantID,
		&t.State,
		&t.Mode,
		&t.Lane,
		&t.Unsure,
		&t.DisabledFor,
		&t.Before,
	}
	return pg.Each(ctx, tx, "look at open tasks", scan, func() error {
		one := t
		t.AccountID, t.GrantID, t.DisabledFor = nil, nil, nil
		if p := people[owner]; p != nil {
			p.Add(one)
		}
		return nil
	}, sql, ids)
}
