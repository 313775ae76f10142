package grantstatus

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
)

// Awaited is a grant that is about to be made in its system.
type Awaited struct {
	// ID of the new grant, chosen by the caller.
	ID string `json:"id"`
	// Connector of the account and of the entitlement.
	ConnectorID string `json:"connector_id"`
	// Account that will hold the entitlement.
	AccountID string `json:"account_id"`
	// Entitlement to be granted.
	EntitlementID string `json:"entitlement_id"`
	// End of the access. Nil: no end is known.
	EndsAt *time.Time `json:"ends_at"`
}

// Await enters grants that are about to be made, and returns which are new: one that is there already does not change.
func Await(ctx context.Context, tx *pg.Tx, grants []Awaited) (map[string]bool, error) {
	entered := map[string]bool{}
	if len(grants) == 0 {
		return entered, nil
	}
	const sql = `
		insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, status, ends_at, wanted_at)
		select current_tenant(), r.id, r.connector_id, r.account_id, r.entitlement_id, 'pending', r.ends_at, now()
		  from jsonb_to_recordset($1::jsonb) r (id uuid, connector_id uuid, account_id uuid, entitlement_id uuid,
		      ends_at timestamptz)
		    on conflict do nothing
		returning id::text`
	text, err := json.Marshal(grants)
	if err != nil {
		return nil, err
	}
	ids, err := pg.All[string](ctx, tx, "await grants", sql, string(text))
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		entered[id] = true
	}
	return entered, nil
}

// MarkWanted notes that a reason asks for these grants.
func MarkWanted(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	const sql = `update access_grant set wanted_at = now(), reappeared = false where id = any($1::text[]::uuid[])
		and (wanted_at is null or reappeared)`
	return pg.Exec(ctx, tx, "mark wanted grants", sql, ids)
}

// State is how a grant stands.
type State struct {
	// ID of the grant.
	ID string `json:"id"`
	// New status of the grant, as access_grant.status has it.
	Status string `json:"status"`
	// Held says that the target has it now; the next reading of the target writes the rest of the row.
	Held bool `json:"held,omitempty"`
}

// Set says how grants stand, and brings up to date what follows from them by nesting. The last word about each
// counts.
func Set(ctx context.Context, tx *pg.Tx, states []State) error {
	if len(states) == 0 {
		return nil
	}
	const sql = `
		update access_grant g
		   set status = r.status, revoked_at = case when r.status = 'revoked' then now() end,
		       missing_since = null, missing_runs = 0,
		       granted_at = case when r.held then coalesce(g.granted_at, now()) else g.granted_at end,
		       directness = case when r.held then 'direct' else g.directness end,
		       wanted_at = case when r.status in ('pending', 'active') then coalesce(g.wanted_at, now())
		           else g.wanted_at end,
		       updated_at = now(), version = g.version + 1
		  from jsonb_to_recordset($1::jsonb) r (id uuid, status text, held boolean)
		 where g.id = r.id`
	var turned []string // those of which something else may follow now
	last := map[string]State{}
	for _, s := range states {
		last[s.ID] = s
	}
	for id, s := range last {
		if s.Status != "pending" && s.Status != "revoking" {
			turned = append(turned, id)
		}
	}
	text, err := json.Marshal(slices.Collect(maps.Values(last)))
	if err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "write how grants stand", sql, string(text)); err != nil {
		return err
	}
	return nesting.FollowGrants(ctx, tx, turned)
}

// Limit is when a grant ends.
type Limit struct {
	// ID of the grant.
	ID     string `json:"id"`
	Status string `json:"status"` // active or ending
	// New end of the access. Nil: the access has no end.
	EndsAt *time.Time `json:"ends_at"`
}

// SetLimits says when grants end, and which of them are ending.
func SetLimits(ctx context.Context, tx *pg.Tx, limits []Limit) error {
	if len(limits) == 0 {
		return nil
	}
	const sql = `
		update access_grant g
		   set status = r.status, ends_at = r.ends_at, updated_at = now(), version = g.version + 1
		  from jsonb_to_recordset($1::jsonb) r (id uuid, status text, ends_at timestamptz)
		 where g.id = r.id
		   and g.status in ('active', 'ending')`
	text, err := json.Marshal(limits)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "write when grants end", sql, string(text))
}

// ApplyNearing says of grants that a reason asks for and that end by then that they are ending.
func ApplyNearing(ctx context.Context, tx *pg.Tx, by time.Time) error {
	const sql = `
		update access_grant
		   set status = 'ending', updated_at = now(), version = version + 1
		 where status = 'active'
		   and ends_at <= $1
		   and wanted_at is not null`
	return pg.Exec(ctx, tx, "mark ending grants", sql, by)
}

// Move gives the grants of one account to another, which is the same one. What both have is the other's already.
func Move(ctx context.Context, tx *pg.Tx, from, to string) error {
	const drop = `
		delete from access_grant g
		 where g.account_id = $1
		   and exists (select from access_grant o where o.account_id = $2 and o.entitlement_id = g.entitlement_id)`
	const held = `
		update access_grant o
		   set status = case when o.status in ('pending', 'failed', 'missing', 'revoked') then g.status
		       else o.status end, directness = g.directness, external_id = g.external_id, row_hash = g.row_hash,
		           updated_at = now(), version = o.version + 1
		  from access_grant g
		 where o.account_id = $2
		   and g.account_id = $1
		   and g.entitlement_id = o.entitlement_id
		   and g.status in ('active', 'ending')`
	const move = `update access_grant set account_id = $2, updated_at = now(),
		version = version + 1 where account_id = $1`
	for _, sql := range []string{held, drop, move} {
		if err := pg.Exec(ctx, tx, "move grants", sql, from, to); err != nil {
			return err
		}
	}
	return nesting.FollowAccount(ctx, tx, to)
}
