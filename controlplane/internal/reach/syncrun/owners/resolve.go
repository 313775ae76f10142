package owners

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Resolver finds, for a sync run, the people whom target systems name as owners.
type Resolver struct {
	// Connector and Run are IDs.
	Connector, Run string
	// Incremental limits the work to what the run has changed.
	Incremental bool
}

// Unknown are the objects of one kind of the run's connector that name an owner who is not known, or not unique.
type Unknown struct {
	// N is their number; Examples are a few of their names, for the warning.
	N        int64
	Examples []string
}

// maxExamples bounds Examples.
const maxExamples = 5

// Accounts turns the references to owners of all accounts of the tenant into links. It is called before correlation,
// since what the source says comes before the rules, and again after it: a reference to an account means the owner that
// correlation may just have found. linked is how many accounts got another owner.
func (r Resolver) Accounts(ctx context.Context, tx *pg.Tx) (linked int64, open Unknown, err error) {
	kinds, err := ownedAccounts.kinds(ctx, tx)
	if err != nil || kinds == nil {
		return 0, open, err
	}
	sql := ownedAccounts.found(kinds) + linkOwners()
	err = r.planned(ctx, tx, func() error {
		args := pgx.NamedArgs{"connector": r.Connector, "examples": maxExamples}
		return tx.QueryRow(ctx, sql, args).Scan(&linked, &open.N, &open.Examples)
	})
	if err != nil {
		return 0, open, fmt.Errorf("resolve owners of accounts: %w", err)
	}
	return linked, open, nil
}

// kinds are the kinds of reference that are there, nil where no object has any.
func (o owned) kinds(ctx context.Context, tx *pg.Tx) ([]string, error) {
	const sql = `
		select array_agg(distinct coalesce(n.ref ->> 'kind', ''))
		  from (%s) x
		  left join lateral jsonb_array_elements(x.refs) n (ref) on true`
	var kinds []string
	if err := tx.QueryRow(ctx, fmt.Sprintf(sql, o.objects)).Scan(&kinds); err != nil {
		return nil, fmt.Errorf("kinds of owners: %w", err)
	}
	return kinds, nil
}

// planned runs a statement of a full run under the settings for tables that were just loaded.
func (r Resolver) planned(ctx context.Context, tx *pg.Tx, fn func() error) error {
	if r.Incremental {
		return fn()
	}
	return tx.With(ctx, pg.LoadedTables, fn)
}

// toldOwners bounds the entitlements whose change of owners a run notes one by one in the audit log.
const toldOwners = 1000

// ownersChange is an entitlement that got other owners.
type ownersChange struct {
	ID, Name string
	// Before and After are IDs of identities.
	Before, After []string
}

// Entitlements makes the people whom target systems name owners of their entitlements, and audits the changes.
func (r Resolver) Entitlements(ctx context.Context, tx *pg.Tx) (open Unknown, err error) {
	kinds, err := ownedEntitlements.kinds(ctx, tx)
	if err != nil || kinds == nil {
		return open, err
	}
	const display = `select coalesce(nullif(e.display_name, ''), e.name) as display from entitlement e
		where e.tenant_id = current_tenant() and e.id = o.id`
	sql := ownedEntitlements.found(kinds) + giveOwners + fmt.Sprintf(openOwners, display)
	var news []ownersChange
	var changed int64
	err = r.planned(ctx, tx, func() error {
		args := pgx.NamedArgs{"connector": r.Connector, "run": r.Run, "examples": maxExamples, "told": toldOwners}
		return tx.QueryRow(ctx, sql, args).Scan(&news, &changed, &open.N, &open.Examples)
	})
	if err != nil {
		return open, fmt.Errorf("resolve owners of entitlements: %w", err)
	}
	return open, r.recordChanges(ctx, tx, news)
}

// recordChanges notes in the audit log which entitlements that were there before have other owners now: an owner sees
// who holds an entitlement and decides about it.
func (r Resolver) recordChanges(ctx context.Context, tx *pg.Tx, news []ownersChange) error {
	entries := make([]audit.Entry, len(news))
	for i, n := range news {
		entries[i] = audit.Entry{
			Action:  "entitlement.updated",
			Subject: audit.Subject{Type: "entitlement", ID: n.ID, Display: n.Name},
			Changes: []audit.Change{{Field: "owner_ids", From: n.Before, To: n.After}},
			Context: map[string]any{"run_id": r.Run, "connector_id": r.Connector, "owner_source": "target_system"},
		}
	}
	return audit.RecordAll(ctx, tx, entries)
}

// Lock lets one run at a time in a tenant resolve owners, so that two do not wait for each other's rows
// crosswise.
func Lock(ctx context.Context, tx *pg.Tx) error {
	const lock = `select pg_advisory_xact_lock(hashtextextended('owners ' || current_tenant()::text, 0))`
	return pg.Exec(ctx, tx, "wait for another resolution of owners", lock)
}
