package requestcatalog

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Visible says of those of these roles and entitlements that are offered to somebody why they are: by id, in plain
// words. What is absent is not offered to them: it is not requestable, not in use any more, gone from its system, or
// for other people.
func Visible(
	ctx context.Context,
	tx *pg.Tx,
	beneficiaryID string,
	roleIDs, entitlementIDs []string,
) (map[string]string, error) {
	const sql = `
		select r.id::text, r.visible_to::text
		  from role r
		 where r.id = any(@roles::text[]::uuid[])
		   and r.requestable
		   and r.lifecycle = 'active'
		 union all
		select e.id::text, e.visible_to::text
		  from entitlement e
		 where e.id = any(@entitlements::text[]::uuid[])
		   and e.requestable
		   and e.grantable
		   and e.lifecycle = 'active'
		   and e.removed_at is null
		   and e.missing_since is null
		   and e.connector_id is not null
		   and not exists (select from connector c where c.id = e.connector_id and c.deleted_at is not null)`
	offered, conditions := map[string]*string{}, []string{}
	var id string
	var limit *string
	if err := pg.Each(ctx, tx, "find what is offered", []any{&id, &limit}, func() error {
		if offered[id] = limit; limit != nil {
			conditions = append(conditions, *limit)
		}
		limit = nil
		return nil
	}, sql, pgx.NamedArgs{"roles": roleIDs, "entitlements": entitlementIDs}); err != nil {
		return nil, err
	}
	met, err := audienceOf(ctx, tx, beneficiaryID, conditions)
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	for id, limit := range offered {
		if limit == nil {
			why[id] = everybody
		} else if because, is := met[*limit]; is {
			why[id] = because
		}
	}
	return why, nil
}
