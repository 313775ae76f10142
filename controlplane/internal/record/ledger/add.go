package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// batch bounds what one statement holds in memory.
const batch = 10_000

// Add enters reasons and says how many are new or changed. Of the same key (who, what, which account, effect, kind,
// source and role) one alone is live: it is kept, with the version that first gave it, and gets the new ends_at, where
// none means that it ends no more by itself. One that was to begin later begins when the new one says.
func Add(ctx context.Context, tx *pg.Tx, reasons []Reason) (int, error) {
	all, err := rows(reasons)
	if err != nil {
		return 0, err
	}
	added := 0
	for part := range slices.Chunk(all, batch) {
		n, err := add(ctx, tx, part)
		if err != nil {
			return 0, fmt.Errorf("add reasons: %w", err)
		}
		added += n
	}
	return added, nil
}

// add writes a part of the reasons in one statement. A live reason with the same key, which is what
// it is for and where it comes from, is not written twice: its end is moved to the new one's, and
// its start too if it has not begun. n counts the rows that were inserted or changed. In the same
// statement the people are queued for provisioning.
func add(ctx context.Context, tx *pg.Tx, part []row) (n int, err error) {
	const sql = `
		with given as (
		    select g.*, coalesce(nullif(g.state, ''), case when g.starts_at > now() then 'scheduled'
		        else 'active' end) as begun
		      from jsonb_to_recordset(@reasons::jsonb) g (
		           id uuid, identity_id uuid, connector_id uuid, entitlement_id uuid, account_id uuid, role_id uuid,
		           effect text, kind text, source_type text, source_id uuid, source_version int, note text, state text,
		               starts_at timestamptz, ends_at timestamptz, details jsonb)
		), written as (
		    insert into access_reason as r (tenant_id, id, identity_id, connector_id, entitlement_id, account_id,
		                                    role_id, effect, kind, source_type, source_id, source_version, note, state,
		                                        starts_at, ends_at, details, created_by)
		    select current_tenant(), id, identity_id, connector_id, entitlement_id, account_id, role_id, effect, kind,
		           source_type, source_id, source_version, note, begun, coalesce(starts_at, now()), ends_at, details,
		               @maker
		      from given
		        on conflict (tenant_id, identity_id, connector_id, entitlement_id, account_id, effect, kind, source_id,
		            role_id) where state <> 'ended'
		        do update
		       set ends_at = excluded.ends_at, end_reason = null,
		           starts_at = case when r.state = 'scheduled' then excluded.starts_at else r.starts_at end,
		           state = case when r.state = 'scheduled' then excluded.state else r.state end
		     where r.ends_at is distinct from excluded.ends_at
		        or r.state = 'scheduled' and (r.starts_at, r.state) is distinct from (excluded.starts_at,
		            excluded.state)
		    returning identity_id
		), touched as (
		    insert into work_item (tenant_id, kind, subject)
		    select distinct current_tenant(), 'provisioning', identity_id
		      from written
		)
		select count(*) from written`
	given, err := json.Marshal(part)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, sql, pgx.NamedArgs{"reasons": string(given), "maker": maker(tx.Viewer)}).Scan(&n)
	return n, err
}

// Touch has these people's access looked at; urgent ones come first.
func Touch(ctx context.Context, tx *pg.Tx, urgent bool, identityIDs ...string) error {
	if len(identityIDs) == 0 {
		return nil
	}
	const sql = `
		insert into work_item (tenant_id, kind, subject, priority)
		select distinct current_tenant(), 'provisioning', id, @urgent::boolean::int
		  from unnest(@ids::text[]::uuid[]) id`
	return pg.Exec(ctx, tx, "touch access", sql, pgx.NamedArgs{"ids": identityIDs, "urgent": urgent})
}
