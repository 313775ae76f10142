package violation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

const readSQL = `
	select v.id::text, v.identity_id::text, v.policy_id::text, v.policy_version,
	       coalesce(v.conflict -> 'policy' ->> 'name', ''), v.sides, v.state, v.fingerprint,
	       (v.false_positive ->> 'policy_version')::int,
	       array(select jsonb_array_elements_text(v.false_positive -> 'entitlement_ids'))
	  from violation v
	 where v.identity_id = any(@people::text[]::uuid[])`

// readStored reads all violations of people, by their keys. The caller works on these people alone.
func readStored(ctx context.Context, tx *pg.Tx, people []string) (map[key]stored, error) {
	all, err := pg.AllBy(ctx, tx, "read violations of people", pgx.RowToStructByPos[stored], readSQL+` for update of v`,
		pgx.NamedArgs{"people": people})
	if err != nil {
		return nil, err
	}
	known := make(map[key]stored, len(all))
	for _, s := range all {
		known[key{s.IdentityID, s.PolicyID, s.Sides}] = s
	}
	return known, nil
}

const upsert = `
	insert into violation as v (tenant_id, id, policy_id, policy_version, identity_id, sides, state, severity, grade,
	                            conflict, entitlement_ids, fingerprint, detected_by, first_seen_at, last_seen_at)
	select current_tenant(), c.id, c.policy_id, c.policy_version, c.identity_id, c.sides, c.state, c.severity, c.grade,
	       c.conflict, c.entitlement_ids, c.fingerprint, @by, @now, @now
	  from jsonb_to_recordset(@changes::jsonb) c (id uuid, policy_id uuid, policy_version int, identity_id uuid,
	       sides text, state text, severity text, grade text, conflict jsonb, entitlement_ids uuid[], fingerprint text,
	       reopened boolean, resolution text)
	 where c.state <> 'remediated'
	    on conflict (tenant_id, identity_id, policy_id, sides) do update
	   set policy_version = excluded.policy_version, severity = excluded.severity, grade = excluded.grade,
	       conflict = excluded.conflict, entitlement_ids = excluded.entitlement_ids,
	       fingerprint = excluded.fingerprint, last_seen_at = excluded.last_seen_at, state = excluded.state,
	       detected_by = case when v.state = excluded.state then v.detected_by else excluded.detected_by end,
	       reopened_count = v.reopened_count + (excluded.state = 'open' and v.state <> 'open')::int,
	       reopened_at = case when excluded.state = 'open' and v.state <> 'open' then excluded.last_seen_at
	                          else v.reopened_at end,
	       false_positive = case when excluded.state = 'false_positive' then v.false_positive end,
	       remediation = case when v.state = 'remediated' then null else v.remediation end,
       automatic_revocation = case when v.state <> 'remediated' then v.automatic_revocation end,
	       remediated_at = null, resolution = null, updated_at = excluded.last_seen_at, version = v.version + 1`

const settle = `
	update violation v
	   set state = 'remediated', remediated_at = @now, resolution = c.resolution, false_positive = null,
	       fingerprint = '', updated_at = @now, version = v.version + 1
	  from jsonb_to_recordset(@changes::jsonb) c (id uuid, state text, resolution text)
	 where v.id = c.id
	   and c.state = 'remediated'`

const touch = `
	update violation v
	   set last_seen_at = @now
	 where v.id = any(@seen::text[]::uuid[])
	   and v.last_seen_at < @now::timestamptz - interval '12 hours'`

// write writes changes, notes the time of those that were seen without a change, and audits what people must know.
func write(ctx context.Context, tx *pg.Tx, changes []change, seen []string, by string, now time.Time) error {
	if len(seen) > 0 {
		if err := pg.Exec(ctx, tx, "note violations seen", touch, pgx.NamedArgs{"seen": seen, "now": now}); err != nil {
			return err
		}
	}
	if len(changes) == 0 {
		return nil
	}
	text, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("write violations: %w", err)
	}
	args := pgx.NamedArgs{"changes": string(text), "by": by, "now": now}
	if err := pg.Exec(ctx, tx, "write violations", upsert, args); err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "settle violations", settle, args); err != nil {
		return err
	}
	return tell(ctx, tx, changes)
}
