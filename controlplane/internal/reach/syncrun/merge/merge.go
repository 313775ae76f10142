package merge

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Span is a part of a run's staged chunks: those with Lo <= seq <= Hi.
type Span struct {
	// Run and Connector are IDs.
	Run, Connector string
	Lo, Hi         int
	// Known says what the caller has found out already, so that it is not asked again for each
	// span.
	Known Known
}

// Part merges one kind of record of a span. Each is idempotent: what is already so is found unchanged.
type Part func(ctx context.Context, tx *pg.Tx, s Span) (counters.PartCount, error)

// Identities merges a span's people. It comes first, because accounts point to them.
func Identities(ctx context.Context, tx *pg.Tx, s Span) (t counters.PartCount, err error) {
	if t.Report.Identities, t.Counters.Errors, err = mergeIdentities(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge identities: %w", err)
	}
	return t, nil
}

// AccountsAndEntitlements merges both ends of a span's grants.
func AccountsAndEntitlements(ctx context.Context, tx *pg.Tx, s Span) (t counters.PartCount, err error) {
	if t.Report.Accounts, err = mergeAccounts(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge accounts: %w", err)
	}
	if t.Report.Entitlements, err = mergeEntitlements(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge entitlements: %w", err)
	}
	return t, nil
}

// Grants merges a span's grants, whose ends have been merged.
func Grants(ctx context.Context, tx *pg.Tx, s Span) (t counters.PartCount, err error) {
	if t.Report.Grants, t.Report.Nestings.Created, err = mergeGrants(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge grants: %w", err)
	}
	return t, auditReturned(ctx, tx, s, t.Report.Grants.Returned)
}

// auditReturned notes in the audit log that grants came back which we had revoked.
func auditReturned(ctx context.Context, tx *pg.Tx, s Span, n int64) error {
	if n == 0 {
		return nil
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "grant.returned", Subject: audit.Subject{Type: "sync_run", ID: s.Run},
			Context: map[string]any{"run_id": s.Run, "connector_id": s.Connector, "count": n}},
	)
}

// lastOf selects, of a span's records in a stage, the last of each that is neither a tombstone nor held.
func lastOf(stage string) string {
	return `
		    select *
		      from (select distinct on (external_id) *
		              from ` + stage + `
		             where tenant_id = current_tenant()
		               and run_id = $1
		               and seq between $2 and $3
		             order by external_id, seq desc, ord desc) last
		     where not deleted
		       and held is not true`
}

// scanCounts reads how many rows a statement saw, created, wrote and brought back. Rows that it saw
// and did not write were equal.
func scanCounts(row pgx.Row) (c counters.Counts, err error) {
	var seen, written int64
	err = row.Scan(&seen, &c.Created, &written, &c.Reappeared)
	c.Updated = written - c.Reappeared
	c.Unchanged = seen - c.Created - written
	return c, err
}
