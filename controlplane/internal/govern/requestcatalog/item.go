package requestcatalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/eligibility"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// CatalogItem is something that a person may ask for.
type CatalogItem struct {
	// Kind of the catalog item.
	Kind string `json:"kind" db:"kind" enum:"role,entitlement"`
	// ID of the role or entitlement.
	ID string `json:"id" db:"id"`
	// Display name of the role or entitlement.
	Name string `json:"name" db:"name"`
	// Description of the role or entitlement. For an entitlement, its business description has precedence.
	Description string `json:"description" db:"description"`
	// What it allows, point by point.
	PermissionSummary []string `json:"permission_summary" db:"permission_summary" nullable:"false"`
	// Risk level of the role or entitlement.
	RiskLevel string `json:"risk_level" db:"risk_level" enum:"low,medium,high,critical"`
	// Whether the entitlement is privileged. A role is privileged if one of its own entitlements is.
	Privileged bool `json:"privileged" db:"privileged"`
	// Compliance tags and classes of data.
	Tags []string `json:"tags" db:"tags" nullable:"false"`
	// Owners of the role or entitlement, without people who have left.
	Owners []identity.Reference `json:"owners" db:"owners" nullable:"false"`
	// Of an entitlement: where it is.
	System *identity.Reference `json:"system" db:"system"`
	// Of a role: how many entitlements it holds itself.
	EntitlementCount int `json:"entitlement_count" db:"entitlement_count"`
	// The longest it can be had for, in ISO 8601. An approval rule may be stricter.
	MaxDuration *string `json:"max_duration" db:"max_duration"`
	// The duration of a request that names none.
	DefaultDuration *string `json:"default_duration" db:"default_duration"`
	// Of a role: the parameters of a request for it.
	Parameters []CatalogParameter `json:"parameters" db:"parameters" nullable:"false"`
	// Its own approval rule; null: the tenant's rules apply. The preview of a request returns the approvers.
	ApprovalRule *identity.Reference `json:"approval_rule" db:"approval_rule"`
	// In plain words.
	WhyVisible string `json:"why_visible" db:"-"`
	// Whether you can request the item for the person now.
	Requestable bool `json:"requestable" db:"-"`
	// What must change before the item can be requested. Empty if it can be.
	WhyNot []string `json:"why_not" db:"-" nullable:"false" example:"[\"the training GDPR 2026 is required\"]"`
	// Terms that a policy sets for requests. Null if none does.
	Terms *CatalogTerms `json:"terms" db:"-"`
	// How the person holds it already; null: they do not.
	AlreadyHeld *CatalogHeld `json:"already_held" db:"-"`
	// The open request that asks for it already.
	Pending *CatalogPending `json:"pending" db:"-"`
	// How long approval has taken in half of the last requests for it, in ISO 8601; null: there were none.
	TypicalApprovalTime *string `json:"typical_approval_time" db:"-"`

	key string
}

// CatalogTerms are what a policy with the effect eligible demands of a request.
type CatalogTerms struct {
	// Name of the policy.
	Policy string `json:"policy"`
	// Longest duration, in ISO 8601. Null: the policy sets no limit.
	MaxDuration *string `json:"max_duration"`
	// Whether a justification is required.
	RequiresJustification bool `json:"requires_justification"`
	// Whether an external reference is required, such as a ticket number.
	RequiresExternalReference bool `json:"requires_external_reference"`
}

// terms are those of a ruling; nil: no policy allows it.
func terms(of eligibility.Ruling) *CatalogTerms {
	if !of.Limited || len(of.WhyNot) > 0 {
		return nil
	}
	return &CatalogTerms{
		Policy:                    of.Policy,
		MaxDuration:               of.Terms.MaxDuration,
		RequiresJustification:     of.Terms.RequiresJustification,
		RequiresExternalReference: of.Terms.RequiresExternalReference,
	}
}

// CatalogParameter is something that is said when a role is asked for: parameters of a request has its value by its
// name.
type CatalogParameter struct {
	// Name of the parameter, as a key of parameters in a request.
	Name string `json:"name" example:"cost_center"`
	// Type of the value.
	Type string `json:"type" enum:"string,integer,boolean,date"`
	// Whether a request for the role must set the parameter.
	Required bool `json:"required,omitempty"`
	// Of a string; when there are none, any.
	AllowedValues []string `json:"allowed_values,omitempty"`
}

// CatalogHeld is how somebody holds an item.
type CatalogHeld struct {
	// The kinds of the reasons: birthright, policy, role, request and so on. native: found in the target system and not
	// granted through Grantwright. inherited: through nested groups.
	Kinds []string `json:"kinds" nullable:"false"`
	// The end of the last reason. Null: at least one reason has no end.
	Until *time.Time `json:"until"`
}

// CatalogPending is the request that somebody waits for.
type CatalogPending struct {
	// ID of the open access request.
	RequestID string `json:"request_id"`
	// Number of the open access request, for people.
	Number string `json:"number" example:"REQ-000123"`
}

// after is the item's position in the list.
func (c CatalogItem) after() []string { return []string{c.key, c.ID} }

// names makes references of identities, in the order in which they stand.
const names = `(select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'display', o.display_name) order by w.n), '[]')
		          from unnest(%s) with ordinality w (id, n) join identity o on o.id = w.id
		              and o.status not in ('deactivated', 'archived'))`

// read gives what items are, with their owners' names.
var read = `
		select 'entitlement' as kind, e.id, coalesce(nullif(e.display_name, ''), e.name) as name,
		       coalesce(nullif(e.business_description, ''), e.description, '') as description, e.permission_summary,
		           e.risk_level, e.privileged, e.compliance_tags || e.data_classes as tags, ` +
	fmt.Sprintf(names, "e.owner_ids") + ` as owners,
		       case when c.id is not null then jsonb_build_object('id', c.id, 'display', c.name) end as system,
		       0 as entitlement_count, '[]'::jsonb as parameters, e.max_duration, e.default_duration,
		           case when a.id is not null then jsonb_build_object('id', a.id, 'display',
		           a.name) end as approval_rule
		  from entitlement e
		  left join connector c on c.id = e.connector_id
		  left join approval_rule a on a.id = e.approval_rule_id
		 where e.id = any(@ids::text[]::uuid[])
		 union all
		select 'role', r.id, r.name, r.description, '{}', i.risk_level,
		       exists (select from role_entitlement x join entitlement e on e.id = x.entitlement_id
		       where x.role_id = r.id and e.privileged), r.compliance_tags, ` + fmt.Sprintf(names, "r.owner_ids") +
	`, null,
		       (select count(*)::int from role_entitlement x where x.role_id = r.id), r.parameters,
		       r.max_duration, r.default_duration, case
		           when a.id is not null then jsonb_build_object('id', a.id, 'display', a.name) end
		  from role r
		  join catalog_item i on i.id = r.id
		  left join approval_rule a on a.id = r.approval_rule_id
		 where r.id = any(@ids::text[]::uuid[])`

// fill reads the items of a page, and what the person has of them and waits for.
func fill(ctx context.Context, tx *pg.Tx, identity string, page []found) ([]CatalogItem, error) {
	items, at, ids := make([]CatalogItem, len(page)), map[string]int{}, make([]string, len(page))
	if len(page) == 0 {
		return items, nil
	}
	for i, f := range page {
		at[f.ID], ids[i] = i, f.ID
	}
	args := pgx.NamedArgs{"ids": ids, "identity": identity}
	var b pgx.Batch
	b.Queue(read, args).Query(func(rows pgx.Rows) error {
		all, err := pgx.CollectRows(rows, pgx.RowToStructByName[CatalogItem])
		for _, item := range all {
			f := page[at[item.ID]]
			item.key, item.WhyVisible = f.Key, f.Why
			item.Requestable, item.Terms = len(f.ruling.WhyNot) == 0, terms(f.ruling)
			item.WhyNot = append([]string{}, f.ruling.WhyNot...)
			items[at[item.ID]] = item
		}
		return err
	})
	b.Queue(holding, args).Query(func(rows pgx.Rows) error {
		return each(rows, func(id string, h CatalogHeld) { items[at[id]].AlreadyHeld = &h })
	})
	b.Queue(waiting, args).Query(func(rows pgx.Rows) error {
		return each(rows, func(id string, p CatalogPending) { items[at[id]].Pending = &p })
	})
	b.Queue(typical, args).Query(func(rows pgx.Rows) error {
		return each(rows, func(id string, seconds float64) {
			text := span.Format(time.Duration(seconds) * time.Second)
			items[at[id]].TypicalApprovalTime = &text
		})
	})
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, fmt.Errorf("read items of the catalog: %w", err)
	}
	return items, nil
}

// each reads rows of an id and one value.
func each[T any](rows pgx.Rows, fn func(id string, value T)) error {
	for rows.Next() {
		var id string
		var value T
		if err := rows.Scan(&id, &value); err != nil {
			rows.Close()
			return err
		}
		fn(id, value)
	}
	return rows.Err()
}

// holding says how a person holds these items: by the reasons of the ledger, by an assignment of a role, or because the
// target has it.
const holding = `
		select h.id::text, jsonb_build_object('kinds', jsonb_agg(distinct h.kind), 'until', case
		    when bool_and(h.until is not null) then max(h.until) end)
		  from (select x.entitlement_id as id, x.kind, x.ends_at as until
		          from access_reason x
		         where x.identity_id = @identity and x.entitlement_id = any(@ids::text[]::uuid[])
		             and x.effect = 'allow' and x.state = 'active'
		         union all
		        select x.role_id, x.kind, x.ends_at
		          from access_reason x
		         where x.identity_id = @identity and x.role_id = any(@ids::text[]::uuid[]) and x.effect = 'allow'
		             and x.state = 'active'
		         union all
		        select a.role_id, case a.kind when 'manual' then 'role' else a.kind end, a.ends_at
		          from role_assignment a
		         where a.identity_id = @identity and a.role_id = any(@ids::text[]::uuid[]) and a.state = 'active'
		         union all
		        select g.entitlement_id, case g.directness when 'inherited' then 'inherited' else 'native' end, null
		          from account o
		          join access_grant g on g.account_id = o.id
		         where o.identity_id = @identity
		           and g.entitlement_id = any(@ids::text[]::uuid[])
		           and g.status in ('active', 'ending', 'revoking', 'missing')
		           and not exists (select from access_reason x where x.identity_id = @identity
		               and x.entitlement_id = g.entitlement_id and x.effect = 'allow' and x.state = 'active')) h
		 group by h.id`

// waiting finds the open requests for these items. One of somebody who may see the person is no secret from whoever may
// see their catalog.
const waiting = `
		select distinct on (1) coalesce(t.role_id, t.entitlement_id)::text,
		       jsonb_build_object('request_id', q.id, 'number',
		           'REQ-' || lpad(q.number::text, greatest(6, length(q.number::text)), '0'))
		  from access_request q
		  join access_request_item t on t.request_id = q.id
		 where q.requested_for = @identity
		   and t.status in ('submitted', 'pending_approval', 'blocked', 'approved', 'scheduled', 'provisioning')
		   and q.kind = 'grant'
		   and (t.role_id = any(@ids::text[]::uuid[]) or t.entitlement_id = any(@ids::text[]::uuid[]))
		 order by 1, q.number`

// typical is the median of how long the last approvals of each item took, in seconds: what happened long ago says
// little.
const typical = `
		select i.id::text, percentile_cont(0.5) within group (order by l.took)
		  from unnest(@ids::text[]::uuid[]) i (id)
		 cross join lateral (
		       select extract(epoch from t.decided_at - q.submitted_at)::float8 as took
		         from (select * from access_request_item a where a.role_id = i.id
		                union all
		               select * from access_request_item b where b.entitlement_id = i.id) t
		         join access_request q on q.id = t.request_id
		        where t.decision = 'approved'
		          and t.decided_at is not null
		        order by t.decided_at desc
		        limit 50) l
		 group by i.id`
