package identity

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Facts are what rules and templates may ask about a person: the members of an identity as the API names them, and
// manager, which is null or has id, external_id, email, username and display_name. Dates are YYYY-MM-DD.
type Facts map[string]any

// EachFacts calls fn for each of the people, or for everybody who is not archived when ids is nil, one after the other
// as they are read. fn may not use the transaction.
func EachFacts(ctx context.Context, tx *pg.Tx, ids []string, fn func(id string, f Facts) error) error {
	const sql = `
		select i.id::text,
		       to_jsonb(i) - '{tenant_id,email_lc,version,updated_at,last_synced_at,manager_from_source}'::text[]
		           - '{urgent,standing,pins,minimised_at}'::text[]
		           || jsonb_build_object('is_disabled', i.status in ('deactivated', 'archived'), 'manager',
		              (select jsonb_build_object('id', m.id, 'external_id', m.external_id, 'email', m.email, 'username',
		                          m.username, 'display_name', m.display_name)
		                 from identity m
		                where m.tenant_id = i.tenant_id
		                  and m.id = i.manager_id))
		  from identity i
		 where `
	// Two statements: one with both conditions would read everybody for each batch.
	which, args := "i.status <> 'archived'", []any{}
	if ids != nil {
		which, args = "i.id = any($1::text[]::uuid[])", []any{ids}
	}
	var id string
	var raw []byte
	return pg.Each(ctx, tx, "read facts of people", []any{&id, &raw}, func() error {
		var f Facts
		if err := json.Unmarshal(raw, &f); err != nil {
			return fmt.Errorf("facts of %s: %w", id, err)
		}
		return fn(id, f)
	}, sql+which, args...)
}
