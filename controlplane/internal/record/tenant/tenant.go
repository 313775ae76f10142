// Package tenant manages the tenants of the deployment: their creation, their state and their onboarding progress.
package tenant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant/preferences"
)

// Status of a tenant.
type Status string

// Statuses. No one signs in to a tenant that is not active.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
	Closing   Status = "closing"
)

// Stage is how far a tenant has come on its way to governed access.
type Stage string

// Stages in their order: a tenant only moves forward.
const (
	Bootstrapped Stage = "bootstrapped"
	Connected    Stage = "connected" // the first sync of a target system has completed
)

// stages in their order. A stage that is not listed cannot be reached.
var stages = []Stage{Bootstrapped, Connected}

// Tenant is a customer.
type Tenant struct {
	ID         string                  `db:"id"`
	Slug       string                  `db:"slug"`
	Name       string                  `db:"name"`
	Region     string                  `db:"region"`
	Status     Status                  `db:"status"`
	Reason     *string                 `db:"status_reason"` // why an operator has suspended or closed it
	Stage      Stage                   `db:"funnel_state"`
	Limits     preferences.Limits      `db:"limits"`
	Settings   preferences.Preferences `db:"settings"`
	ClosedAt   *time.Time              `db:"closed_at"`
	PurgeAfter *time.Time              `db:"purge_after"` // when the grace of one that is closing ends
	Purged     int64                   `db:"purged"`      // rows of it that have been deleted since
	CreatedAt  time.Time               `db:"created_at"`
	UpdatedAt  time.Time               `db:"updated_at"`
	Version    int                     `db:"version"`
}

// columns are the columns of Tenant.
const columns = `t.id::text as id, t.slug, t.name, t.region, t.status, t.status_reason, t.funnel_state, t.limits,
	t.settings,
	t.closed_at, t.purge_after, (select coalesce(sum(n::bigint), 0)::bigint from jsonb_each_text(t.purged) p (name,
	  n)) as purged, t.created_at, t.updated_at, t.version`

// Usable returns a fault of kind Forbidden with the code tenant_suspended if the tenant cannot be used.
func (s Status) Usable() error {
	if s == Active {
		return nil
	}
	return fault.Coded(fault.Forbidden, "tenant_suspended", "this tenant is %s; ask the operator of the service", s)
}

// Create adds the tenant of the transaction's viewer. It returns a fault of kind Conflict with the code tenant_exists
// when the slug is taken, and one of kind Invalid when it cannot be used.
func Create(ctx context.Context, tx *pg.Tx, slug, name string) (Tenant, error) {
	const sql = `
		insert into tenant (id, slug, name)
		values ($1, $2, $3)`
	_, err := tx.Exec(ctx, sql, tx.Viewer.Tenant, slug, name)
	switch {
	case pg.Violates(err, "tenant_slug_unique"):
		return Tenant{}, fault.Coded(fault.Conflict, "tenant_exists", "there is a tenant %q already", slug)
	case pg.Violates(err, "tenant_slug_shape"):
		return Tenant{}, fault.New(
			fault.Invalid,
			"a tenant's slug has 1 to 63 lower-case letters, digits and hyphens, none at its ends; %q has not",
			slug,
		)
	case err != nil:
		return Tenant{}, fmt.Errorf("create tenant: %w", err)
	}
	entry := audit.Entry{
		Action:  "tenant.created",
		Subject: audit.Subject{Type: "tenant", ID: tx.Viewer.Tenant, Display: slug},
	}
	if err := audit.Record(ctx, tx, entry); err != nil {
		return Tenant{}, err
	}
	return Find(ctx, tx)
}

// Find is the tenant of the transaction.
func Find(ctx context.Context, tx *pg.Tx) (Tenant, error) {
	return find(ctx, tx, "")
}

// find reads the tenant of the transaction; lock is a locking clause or empty.
func find(ctx context.Context, tx *pg.Tx, lock string) (Tenant, error) {
	t, err := pg.One[Tenant](
		ctx,
		tx,
		"find tenant",
		"select "+columns+" from tenant t where t.id = current_tenant() "+lock,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Tenant{}, fault.New(fault.NotFound, "Tenant %s was not found.", tx.Viewer.Tenant)
	case err != nil:
		return Tenant{}, err
	}
	t.Settings.Fill()
	return t, nil
}

// Advance brings the tenant of the transaction to a stage. A tenant that has come as far already stays where it is, and
// moved is false.
func Advance(ctx context.Context, tx *pg.Tx, to Stage) (moved bool, err error) {
	before := earlier(to)
	if before == nil {
		return false, fmt.Errorf("advance tenant: there is no way to the stage %q", to)
	}
	const sql = `
		with old as (
			select funnel_state
			  from tenant
			 where id = current_tenant()
			   and funnel_state = any ($2)
			   for update)
		update tenant t
		   set funnel_state = $1, updated_at = now(), version = version + 1
		  from old
		 where t.id = current_tenant()
		returning old.funnel_state`
	var from Stage
	err = tx.QueryRow(ctx, sql, string(to), before).Scan(&from)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("advance tenant: %w", err)
	}
	return true, audit.Record(ctx, tx, audit.Entry{
		Action: "tenant.advanced", Subject: audit.Subject{Type: "tenant", ID: tx.Viewer.Tenant},
		Changes: []audit.Change{{Field: "funnel_state", From: from, To: to}},
	})
}

// earlier are the stages before one.
func earlier(to Stage) []string {
	var before []string
	for _, s := range stages {
		if s == to {
			return before
		}
		before = append(before, string(s))
	}
	return nil
}
