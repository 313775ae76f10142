package member

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// RoleWay is one way by which a person has a role.
type RoleWay struct {
	// Origin of the role: its own membership rule (rule), an access policy that names it (policy), or the kind of
	// assignment.
	Kind string `json:"kind" enum:"rule,policy,manual,request,emergency,other"`
	// Whether the role is held now (active) or from a later time (scheduled).
	State string `json:"state" enum:"scheduled,active"`
	// ID of the role assignment. Null if a rule or a policy gives the role.
	AssignmentID *string `json:"assignment_id"`
	// Policy that gives the role. Absent for other kinds.
	Policy *RolePolicyRef `json:"policy,omitempty"`
	// ID of the access request. Null if the role was not requested.
	RequestID *string `json:"request_id"`
	// Reason for the assignment, or a note on the access that the rule or policy gives. Can be empty.
	Reason string `json:"reason"`
	// Values of the parameters of the assignment by name. Absent if there are none.
	Parameters *map[string]any `json:"parameters,omitempty"`
	// Time from which the person has the role in this way.
	StartsAt time.Time `json:"starts_at"`
	// Null: no end.
	EndsAt *time.Time `json:"ends_at"`
}

// RolePolicyRef names a policy.
type RolePolicyRef struct {
	// ID of the policy.
	ID string `json:"id"`
	// Display name of the policy.
	Display string `json:"display"`
}

// RoleFulfilment is how far a person's role is true in the target systems.
type RoleFulfilment struct {
	// What it gives them.
	Total int `json:"total"`
	// Of that, what the systems were seen to have given.
	Active int `json:"active"`
	// Of that, what could not be given.
	Failed int `json:"failed"`
}

// RoleHolding is how a person has a role.
type RoleHolding struct {
	// Assignments through which the person has the role.
	Ways []RoleWay `json:"ways" nullable:"false"`
	// The earliest beginning of these.
	Since time.Time `json:"since"`
	// The end of the last assignment. Null: at least one has no end.
	Until *time.Time `json:"until"`
	// How much of the role's access the person has.
	Fulfilment RoleFulfilment `json:"fulfilment"`
}

// pair is a role and a person who has it.
type pair struct{ role, identity string }

// holdings finds how these people have these roles.
func holdings(ctx context.Context, tx *pg.Tx, roles, people []string) (map[pair]*RoleHolding, error) {
	found := map[pair]*RoleHolding{}
	if len(roles) == 0 || len(people) == 0 {
		return found, nil
	}
	args := pgx.NamedArgs{"roles": roles, "people": people}
	for _, read := range []func(context.Context, *pg.Tx, pgx.NamedArgs, map[pair]*RoleHolding) error{byAssignment,
		byRule, fulfilments} {
		if err := read(ctx, tx, args, found); err != nil {
			return nil, fmt.Errorf("find how people have roles: %w", err)
		}
	}
	return found, nil
}

// put adds a way to a person's holding of a role, and widens its time.
func put(found map[pair]*RoleHolding, of pair, w RoleWay) {
	h := found[of]
	if h == nil {
		h = &RoleHolding{Ways: []RoleWay{}, Since: w.StartsAt, Until: w.EndsAt}
		found[of] = h
	}
	h.Ways = append(h.Ways, w)
	if w.StartsAt.Before(h.Since) {
		h.Since = w.StartsAt
	}
	if h.Until != nil && (w.EndsAt == nil || w.EndsAt.After(*h.Until)) {
		h.Until = w.EndsAt
	}
}

// byAssignment adds the assignments that have not ended.
func byAssignment(ctx context.Context, tx *pg.Tx, args pgx.NamedArgs, found map[pair]*RoleHolding) error {
	const sql = `
		select a.role_id::text, a.identity_id::text, a.kind, a.state, a.id::text, a.request_id::text, a.reason,
		    a.parameters, a.starts_at, a.ends_at
		  from role_assignment a
		 where a.role_id = any(@roles::text[]::uuid[])
		   and a.identity_id = any(@people::text[]::uuid[])
		   and a.state <> 'ended'
		 order by a.starts_at, a.id`
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return err
	}
	for rows.Next() {
		var of pair
		var w RoleWay
		parameters := map[string]any{}
		if err := rows.Scan(
			&of.role,
			&of.identity,
			&w.Kind,
			&w.State,
			&w.AssignmentID,
			&w.RequestID,
			&w.Reason,
			&parameters,
			&w.StartsAt,
			&w.EndsAt,
		); err != nil {
			return err
		}
		if len(parameters) > 0 {
			w.Parameters = &parameters
		}
		put(found, of, w)
	}
	return rows.Err()
}

// byRule adds what policies and membership rules give, one way for each source. Several reasons of
// a source, one for each entitlement of the role, are one way: it ends when the last of them ends.
func byRule(ctx context.Context, tx *pg.Tx, args pgx.NamedArgs, found map[pair]*RoleHolding) error {
	const sql = `
		select r.role_id::text, r.identity_id::text, r.source_type, r.source_id::text, coalesce(p.name, ''),
		       coalesce(min(r.note), ''), case when bool_or(r.state = 'active') then 'active' else 'scheduled' end,
		       min(r.starts_at), case when not bool_or(r.ends_at is null) then max(r.ends_at) end
		  from access_reason r
		  left join access_policy p on p.id = r.source_id and r.source_type = 'policy'
		 where r.role_id = any(@roles::text[]::uuid[])
		   and r.identity_id = any(@people::text[]::uuid[])
		   and r.state <> 'ended'
		   and r.effect = 'allow'
		   and r.source_type <> 'role_assignment'
		 group by r.role_id, r.identity_id, r.source_type, r.source_id, p.name
		 order by 1, 2, 3, 4`
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return err
	}
	for rows.Next() {
		var of pair
		var w RoleWay
		var source, id, policy string
		if err := rows.Scan(
			&of.role,
			&of.identity,
			&source,
			&id,
			&policy,
			&w.Reason,
			&w.State,
			&w.StartsAt,
			&w.EndsAt,
		); err != nil {
			return err
		}
		switch source {
		case assignment.RuleSource:
			w.Kind = "rule"
		case "policy":
			w.Kind, w.Policy = "policy", &RolePolicyRef{id, policy}
		default:
			w.Kind = "other"
		}
		put(found, of, w)
	}
	return rows.Err()
}

// fulfilments counts, for each role and person, the entitlements that are wanted, those that the
// person has in the target, and those whose grant has failed.
func fulfilments(ctx context.Context, tx *pg.Tx, args pgx.NamedArgs, found map[pair]*RoleHolding) error {
	const sql = `
		with wanted as (
		    select distinct r.role_id, r.identity_id, r.entitlement_id
		      from access_reason r
		     where r.role_id = any(@roles::text[]::uuid[])
		       and r.identity_id = any(@people::text[]::uuid[])
		       and r.state = 'active'
		       and r.effect = 'allow'
		       and r.entitlement_id is not null
		)
		select w.role_id::text, w.identity_id::text, count(*), count(*) filter (where s.there),
		    count(*) filter (where s.failed and not s.there)
		  from wanted w
		 cross join lateral (select coalesce(bool_or(g.status = 'active'), false) as there,
		     coalesce(bool_or(g.status = 'failed'), false) as failed
		                       from account a
		                       join access_grant g on g.account_id = a.id
		                      where a.identity_id = w.identity_id
		                        and g.entitlement_id = w.entitlement_id) s
		 group by w.role_id, w.identity_id`
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return err
	}
	var of pair
	var f RoleFulfilment
	_, err = pgx.ForEachRow(rows, []any{&of.role, &of.identity, &f.Total, &f.Active, &f.Failed}, func() error {
		if h := found[of]; h != nil {
			h.Fulfilment = f
		}
		return nil
	})
	return err
}
