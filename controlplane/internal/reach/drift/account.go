package drift

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
)

// account is one that is compared.
type account struct {
	ID          string `db:"id"`
	ConnectorID string `db:"connector_id"`
	IdentityID  string `db:"identity_id"`
	Username    string `db:"username"`
	Native      string `db:"native_identity"`
	// Members are the named members such as email; Attributes are the target's own.
	Members    map[string]any `db:"members"`
	Attributes map[string]any `db:"attributes"`
	// Stale says that the account was written after it was last read, so that what it shows is old.
	Stale bool `db:"stale"`
	// Before is the result of the last comparison, which Kept has as JSON.
	Before state           `db:"-"`
	Kept   json.RawMessage `db:"kept"`
	Made   map[string]any  `db:"made"` // what the account was made with

	why     []string
	lowered map[string]any // Attributes by their names in lower case
}

// accounts reads those that can be compared: managed, with an owner, and present.
func accounts(ctx context.Context, tx *pg.Tx, ids []string) ([]*account, error) {
	const sql = `
		select a.id::text, a.connector_id::text, a.identity_id::text, coalesce(a.username, '') as username,
		       coalesce(a.native_identity, '') as native_identity,
		           jsonb_build_object('email', a.email, 'display_name', a.display_name, 'first_name', a.first_name,
		       'last_name', a.last_name, 'employee_number', a.employee_number) as members, a.attributes,
		       a.row_hash = '\x' as stale, case when s.account_id is not null then jsonb_build_object('desired',
		       s.desired, 'drift', s.drift, 'accepted', s.accepted, 'pushed', s.pushed) end as kept,
		           case when s.account_id is null then (
		           select t.payload -> 'account'
		             from provisioning_task t
		            where t.tenant_id = a.tenant_id
		              and t.account_id = a.id
		              and t.operation = 'create_account'
		              and t.state in ('done', 'verifying')
		            order by t.created_at desc
		            limit 1) end as made
		  from unnest($1::text[]::uuid[]) x (id)
		  join account a
		    on a.tenant_id = current_tenant()
		   and a.id = x.id
		  left join account_shape s
		    on s.tenant_id = a.tenant_id
		   and s.account_id = a.id
		 where a.managed = 'managed'
		   and a.account_type in ('person', 'unknown')
		   and a.identity_id is not null
		   and a.status in ('active', 'disabled', 'locked')
		 order by a.connector_id, a.id`
	found, err := pg.AllBy(ctx, tx, "read accounts to compare", pgx.RowToAddrOfStructByName[account], sql, ids)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		if len(a.Kept) > 0 {
			if err := json.Unmarshal(a.Kept, &a.Before); err != nil {
				return nil, fmt.Errorf("read what is kept of account %s: %w", a.ID, err)
			}
		}
		a.lowered = make(map[string]any, len(a.Attributes))
		for name, v := range a.Attributes {
			a.lowered[strings.ToLower(name)] = v
		}
	}
	return found, nil
}

// forget drops what is kept of accounts that are not compared any more.
func forget(ctx context.Context, tx *pg.Tx, ids []string, kept []*account) error {
	for _, a := range kept {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == a.ID })
	}
	if len(ids) == 0 {
		return nil
	}
	const sql = `delete from account_shape s using unnest($1::text[]::uuid[]) x (id)
		where s.tenant_id = current_tenant() and s.account_id = x.id`
	return pg.Exec(ctx, tx, "forget accounts", sql, ids)
}

// baseline is what is kept of the account. Of one that we have just made it is what we made it with.
func (a *account) baseline(owned []shape.Owned) state {
	if len(a.Kept) > 0 || a.Made == nil {
		return a.Before
	}
	attributes, _ := a.Made["attributes"].(map[string]any)
	before := state{Desired: map[string]any{}}
	for _, o := range owned {
		v, member := a.Made[o.Target]
		if !member {
			v = attributes[o.Target]
		}
		before.Desired[o.Target] = v
	}
	return before
}

// observe is what the target has. It is not known where the target does not show it at all, and not before it is read
// again where we have written since.
func (a *account) observe(target string, c shape.Config, shown map[string]bool) (any, bool) {
	name := strings.ToLower(target)
	if v, member := a.Members[name]; member {
		return v, v != nil || shown[name]
	}
	if a.Stale {
		return nil, false
	}
	v, there := a.lowered[name]
	return v, there || shown[name] || c.Type == catalog.LDAP
}
