package lookup

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Resource is a role or an entitlement that is requested.
type Resource struct {
	// Type is role or entitlement.
	Type        string `db:"type"`
	ID          string `db:"id"`
	Display     string `db:"display"`
	Description string `db:"description"`
	// Connector is the entitlement's; empty for a role.
	Connector  string  `db:"connector"`
	Trouble    string  `db:"trouble"` // why it is given to nobody
	RiskLevel  *string `db:"risk_level"`
	Privileged bool    `db:"privileged"`
	// MaxDuration, DefaultDuration and ExtensionMax are ISO 8601 durations. Empty: none.
	MaxDuration     string      `db:"max_duration"`
	DefaultDuration string      `db:"default_duration"`
	ExtensionMax    string      `db:"extension_max"`
	Parameters      []Parameter `db:"parameters"`
	Owned           bool        `db:"owned"` // by the viewer, as a resource owner
}

// Parameter is a parameter of a role.
type Parameter struct {
	// Name of the parameter.
	Name string `json:"name"`
	// Type of the value.
	Type string `json:"type"`
	// Whether a value must be given.
	Required bool `json:"required"`
	// Allowed values. Empty: any of the type.
	Allowed []any `json:"allowed_values"`
}

// Ref names the resource in decision tasks.
func (t Resource) Ref() decision.Ref { return decision.Ref{Type: t.Type, ID: t.ID, Display: t.Display} }

const resourceSQL = `
	select 'role' as type, r.id::text, r.name as display, coalesce(r.description, '') as description, '' as connector,
	       case when r.lifecycle <> 'active' then 'it is ' || r.lifecycle else '' end as trouble,
	       coalesce(r.risk_level, made.risk) as risk_level, coalesce(made.privileged, false) as privileged,
	       coalesce(r.max_duration, '') as max_duration, coalesce(r.default_duration, '') as default_duration,
	       '' as extension_max, r.parameters, viewer_has_role('resource_owner')
	           and coalesce((select viewer_identity()) = any (r.owner_ids), false) as owned
	  from role r
	  left join lateral (
	      select (array['low', 'medium', 'high',
	             'critical'])[max(array_position(array['low', 'medium', 'high', 'critical'], e.risk_level))] as risk,
	                 bool_or(e.privileged) as privileged
	        from roles_within(array[r.id]) w
	        join role_entitlement x on x.role_id = w.part_id
	        join entitlement e on e.id = x.entitlement_id
	  ) made on true
	 where r.id = any(@roles::text[]::uuid[])
	 union all
	select 'entitlement', e.id::text, coalesce(nullif(e.display_name, ''), e.name),
	       coalesce(e.business_description, e.description, ''), coalesce(e.connector_id::text, ''),
	       case when e.connector_id is null then 'it belongs to no system'
	            when e.removed_at is not null or e.missing_since is not null then 'its system no longer shows it'
	            when e.lifecycle <> 'active' then 'it is ' || e.lifecycle
	            when not e.grantable then 'its system does not let it be granted from outside'
	            else '' end,
	       e.risk_level, e.privileged, coalesce(e.max_duration, ''), coalesce(e.default_duration, ''),
	       coalesce(e.extension_max, ''), '[]'::jsonb, viewer_has_role('resource_owner')
	           and coalesce((select viewer_identity()) = any (e.owner_ids), false)
	  from entitlement e
	 where e.id = any(@entitlements::text[]::uuid[])`

// Resources returns roles and entitlements by id.
func Resources(ctx context.Context, tx *pg.Tx, roles, entitlements []string) (map[string]Resource, error) {
	found, err := pg.All[Resource](
		ctx,
		tx,
		"find requested resources",
		resourceSQL,
		pgx.NamedArgs{"roles": roles, "entitlements": entitlements},
	)
	if err != nil {
		return nil, err
	}
	known := map[string]Resource{}
	for _, t := range found {
		known[t.ID] = t
	}
	return known, nil
}

// Account is an account that was named for an entitlement.
type Account struct{ Owner, Connector, Status string }

// Accounts returns accounts by id.
func Accounts(ctx context.Context, tx *pg.Tx, ids []string) (map[string]Account, error) {
	const sql = `
		select a.id::text, coalesce(a.identity_id::text, ''), a.connector_id::text, a.status
		  from account a
		 where a.id = any($1::text[]::uuid[])`
	known := map[string]Account{}
	var id string
	var a Account
	if err := pg.Each(
		ctx,
		tx,
		"find accounts",
		[]any{&id, &a.Owner, &a.Connector, &a.Status},
		func() error { known[id] = a; return nil },
		sql,
		ids,
	); err != nil {
		return nil, err
	}
	return known, nil
}
