package merge

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
)

// mergeEntitlements inserts new entitlements and updates changed ones. What people have set about one stays. Other
// references to owners than before end a person's decision about its owners; findOwners then follows them.
func mergeEntitlements(ctx context.Context, tx *pg.Tx, s Span) (counters.Counts, error) {
	sql := `
		with seen as (` + lastOf("stage_entitlement") + `
		), merged as (
		    insert into entitlement as e (tenant_id, id, connector_id, external_id, native_ref, native_identity, kind,
		                                  name, display_name, description, resource, privileged, requestable, grantable,
		                                  revocable, exclusion_group, max_members, owner_refs, attributes, row_hash,
		                                      changed_run_id, created_run_id)
		    select tenant_id, new_id, $4, external_id, native_ref, native_identity, kind, name, display_name,
		           description, resource, coalesce(privileged, false), coalesce(requestable, false),
		           coalesce(grantable, true), coalesce(revocable, true), exclusion_group, max_members, owner_refs,
		               attributes, row_hash, run_id, run_id
		      from seen
		    on conflict (tenant_id, connector_id, external_id) do update
		       set native_ref = excluded.native_ref, native_identity = excluded.native_identity, kind = excluded.kind,
		           name = excluded.name, display_name = excluded.display_name, description = excluded.description,
		           privileged = case when e.privileged_source is null then excluded.privileged else e.privileged end,
		           resource = excluded.resource, grantable = excluded.grantable, revocable = excluded.revocable,
		           exclusion_group = excluded.exclusion_group, max_members = excluded.max_members,
		           owner_refs = excluded.owner_refs, owners_decided = e.owners_decided
		           and e.owner_refs = excluded.owner_refs, attributes = excluded.attributes,
		           row_hash = excluded.row_hash, changed_run_id = excluded.changed_run_id,
		           lifecycle = case when e.removed_at is not null then 'active' else e.lifecycle end,
		               missing_since = null, missing_runs = 0, removed_at = null, updated_at = now(),
		               version = e.version + 1
		     where e.row_hash is distinct from excluded.row_hash
		        or e.missing_since is not null
		        or e.removed_at is not null
		    returning (xmax = 0) as inserted
		)
		select (select count(*) from seen), count(*) filter (where inserted), count(*) filter (where not inserted),
		       ` + s.Known.reappearing("entitlement", "removed_at") + `
		  from merged`
	return scanCounts(tx.QueryRow(ctx, sql, s.Run, s.Lo, s.Hi, s.Connector))
}
