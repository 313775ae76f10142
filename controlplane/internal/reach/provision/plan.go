package provision

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// most is how many people are planned at once: a bound of memory, and of how long one transaction takes.
const most = 1000

// planner is the lock that whoever plans for a tenant holds.
const planner = `hashtextextended('provisioning|' || current_tenant()::text, 0)`

// Planned is what a plan has made.
type Planned struct {
	Accounts, Grants, Tasks, Cancelled int
}

// Plan compares what these people should hold, and whether they are here at all, with their accounts and grants, and
// writes down what has to be changed. Planning again changes nothing. One plan of a tenant is made at a time; the next
// one waits.
func Plan(ctx context.Context, tx *pg.Tx, identityIDs []string, urgent bool) (Planned, error) {
	var sum Planned
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(`+planner+`)`); err != nil {
		return sum, fmt.Errorf("wait for another plan: %w", err)
	}
	for ids := range slices.Chunk(identityIDs, most) {
		people, can, err := look(ctx, tx, ids, urgent)
		if err != nil {
			return sum, err
		}
		out := &plan{can: can, creates: map[string]string{}}
		for _, p := range people {
			p.decide(out)
		}
		if err := out.write(ctx, tx, &sum); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// look reads people with everything that a plan of them depends on.
func look(ctx context.Context, tx *pg.Tx, ids []string, urgent bool) ([]*person, map[string]ability.Ability, error) {
	life, err := lifecycle.Find(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	settings := conditions{
		leave:       life.LeaveAccess,
		deleteAfter: life.DeleteAfter,
		zone:        life.Zone(),
		urgent:      urgent,
		offers:      map[string]offer{},
	}
	found, err := gather[person](
		ctx,
		tx,
		`select i.id, i.status, i.urgent, i.status_changed_at, now() as now, `+known+` as known from identity i where
			i.id = any($1::text[]::uuid[]) order by i.id`,
		ids,
	)
	if err != nil {
		return nil, nil, err
	}
	people, byID := make([]*person, len(found)), map[string]*person{}
	for i := range found {
		p := &found[i]
		people[i] = p
		p.grants, p.history, p.life, p.holding, p.lost = map[pair]grant{}, map[string]past{}, map[string][]task.Open{},
			map[string]task.Open{}, map[string]bool{}
		settings.now = p.Now
		byID[p.ID] = p
	}
	wants, err := ledger.Desired(ctx, tx, ids)
	if err != nil {
		return nil, nil, err
	}
	systems := map[string]bool{}
	for _, w := range wants {
		if p := byID[w.IdentityID]; p != nil {
			p.wants = append(p.wants, w)
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
	if err := grantsOf(ctx, tx, ids, entitlements, byID, settings.offers); err != nil {
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
	if settings.connectors, err = ability.Read(ctx, tx, connectors); err != nil {
		return nil, nil, err
	}
	for _, p := range people {
		p.settings = settings
	}
	return people, settings.connectors, nil
}

func gather[T any](ctx context.Context, tx *pg.Tx, sql string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("look at people's access: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, fmt.Errorf("look at people's access: %w", err)
	}
	return found, nil
}

func accountsOf(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	people map[string]*person,
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
	accounts, err := gather[account](ctx, tx, sql, ids)
	for _, a := range accounts {
		p := people[a.IdentityID]
		switch {
		case p == nil:
		case a.Status == "deleted":
			p.lost[a.ConnectorID] = p.lost[a.ConnectorID] || a.WantedAt != nil
			p.unseen, systems[a.ConnectorID] = append(p.unseen, a), true
		default:
			p.accounts = append(p.accounts, a)
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
	Kind          string  `db:"kind"`
}

// historyOf reads what reasons have ever asked for, and gives those entitlements.
func historyOf(ctx context.Context, tx *pg.Tx, ids []string, people map[string]*person) ([]string, error) {
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
		before := p.history[a.EntitlementID]
		if before.accounts == nil {
			before.accounts = map[string]bool{}
		}
		before.kind = a.Kind
		before.accounts[orEmpty(a.AccountID)] = true
		p.history[a.EntitlementID] = before
	}
	entitlements := make([]string, 0, len(seen))
	for id := range seen {
		entitlements = append(entitlements, id)
	}
	return entitlements, nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// grantsOf reads the grants that reasons have asked for, and what can be granted at all. What is native stays unread.
func grantsOf(
	ctx context.Context,
	tx *pg.Tx,
	ids, entitlements []string,
	people map[string]*person,
	offers map[string]offer,
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
	rows, err := tx.Query(ctx, sql, ids, entitlements)
	if err != nil {
		return fmt.Errorf("look at people's grants: %w", err)
	}
	var owner string
	var g grant
	seen := map[string]bool{}
	_, err = pgx.ForEachRow(
		rows,
		[]any{
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
		},
		func() error {
			if p := people[owner]; p != nil {
				p.grants[pair{g.AccountID, g.EntitlementID}] = g
				seen[g.EntitlementID] = true
			}
			g.EndsAt, g.WantedAt = nil, nil
			return nil
		},
	)
	if err != nil {
		return fmt.Errorf("look at people's grants: %w", err)
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
	rows, err = tx.Query(ctx, rights, all)
	if err != nil {
		return fmt.Errorf("look at entitlements: %w", err)
	}
	var id string
	var o offer
	_, err = pgx.ForEachRow(rows, []any{&id, &o.grantable, &o.revocable}, func() error { offers[id] = o; return nil })
	return err
}

// tasksOf reads the tasks about people's accounts and grants that have not ended, or whose end nothing has shown yet.
func tasksOf(ctx context.Context, tx *pg.Tx, ids []string, people map[string]*person) error {
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
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return fmt.Errorf("look at open tasks: %w", err)
	}
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
	_, err = pgx.ForEachRow(rows, scan, func() error {
		one := t
		t.AccountID, t.GrantID, t.DisabledFor = nil, nil, nil
		if p := people[owner]; p != nil {
			p.add(one)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at open tasks: %w", err)
	}
	return nil
}

// add keeps a task. They come with those first on which depends what becomes of a grant or an account: one that has not
// ended before one that is to be shown, and what waits for another task last.
func (p *person) add(t task.Open) {
	switch {
	case t.GrantID != nil:
		if _, first := p.holding[*t.GrantID]; !first {
			p.holding[*t.GrantID] = t
		}
	case task.IsAboutAccount(t.Operation) && t.AccountID != nil:
		p.life[*t.AccountID] = append(p.life[*t.AccountID], t)
	}
}

// plan is what has to be written down. Nothing of it has happened yet.
type plan struct {
	can        map[string]ability.Ability
	creates    map[string]string // accounts that are to be made, with their tasks
	accounts   []newAccount
	grants     []newGrant
	tasks      []task.Draft
	cancelled  []ending
	fulfilled  []string
	replanned  []string
	hastened   []string
	wantedOf   []string // accounts
	wanted     []string // grants
	statuses   []status // of accounts
	grantState []status
	limits     []limited
	forgotten  []string             // accounts that were never made
	given      *v1.ProvisionAccount // what somebody has said about the one account of the plan
}

type newAccount struct {
	ID          string `json:"id"`
	ConnectorID string `json:"connector_id"`
	IdentityID  string `json:"identity_id"`
	Username    string `json:"username"`
	Email       string `json:"email,omitempty"`
	DisplayName string `json:"display_name,omitempty"`
	Status      string `json:"status"`
	Wanted      bool   `json:"wanted"`
	task        int    // its task, among the plan's
}

type newGrant struct {
	ID            string     `json:"id"`
	ConnectorID   string     `json:"connector_id"`
	AccountID     string     `json:"account_id"`
	EntitlementID string     `json:"entitlement_id"`
	EndsAt        *time.Time `json:"ends_at"`
}

type status struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

type limited struct {
	ID     string     `json:"id"`
	Status string     `json:"status"`
	EndsAt *time.Time `json:"ends_at"`
}

type ending struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (p *plan) wantAccount(id string) { p.wantedOf = append(p.wantedOf, id) }
func (p *plan) wantGrant(id string)   { p.wanted = append(p.wanted, id) }
func (p *plan) cancel(id, why string) { p.cancelled = append(p.cancelled, ending{id, why}) }
func (p *plan) fulfil(id string)      { p.fulfilled = append(p.fulfilled, id) }
func (p *plan) replan(id string)      { p.replanned = append(p.replanned, id) }
func (p *plan) hurry(id string)       { p.hastened = append(p.hastened, id) }
func (p *plan) status(id, to string)  { p.statuses = append(p.statuses, status{id, to}) }
func (p *plan) grantStatus(id, status_ string) {
	p.grantState = append(p.grantState, status{id, status_})
}
func (p *plan) forget(id string) { p.forgotten = append(p.forgotten, id) }

// create enters an account that is to be made. A simulated one has a task and no account.
func (p *plan) create(s *system, w *ledger.Want) (account, bool) {
	id := newID()
	d := task.Draft{Operation: task.CreateAccount, CreatedFrom: origin(w.Kinds), Reasons: w.ReasonIDs}
	if s.can.Mode != task.ModeSimulate {
		d.AccountID = id
	}
	if s.lost[s.id] {
		if d.CreatedFrom = task.FromDrift; s.can.Config.Drift.Access == shape.DriftAsk &&
			s.can.Mode != task.ModeSimulate {
			d.Failed = removedInTarget("account")
		}
	}
	p.order(s, d)
	p.accounts = append(
		p.accounts,
		newAccount{
			ID:          id,
			ConnectorID: s.id,
			IdentityID:  s.person.ID,
			Status:      "provisioning",
			Wanted:      true,
			task:        len(p.tasks) - 1,
		},
	)
	p.creates[id] = p.tasks[len(p.tasks)-1].ID
	now := s.settings.now
	return account{
		ID:          id,
		IdentityID:  s.person.ID,
		ConnectorID: s.id,
		Status:      "provisioning",
		Managed:     "managed",
		Type:        "person",
		CreatedAt:   now,
		WantedAt:    &now,
	}, true
}

func (p *plan) grantRow(connector string, key pair, ends *time.Time) string {
	g := newGrant{
		ID:            newID(),
		ConnectorID:   connector,
		AccountID:     key.account,
		EntitlementID: key.entitlement,
		EndsAt:        ends,
	}
	p.grants = append(p.grants, g)
	return g.ID
}

// order enters a task about the person.
func (p *plan) order(s *system, d task.Draft) {
	d.ID, d.ConnectorID, d.IdentityID, d.Mode = newID(), s.id, s.person.ID, s.can.ModeOf(d.Operation)
	p.tasks = append(p.tasks, d)
}
