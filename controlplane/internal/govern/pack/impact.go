package pack

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// target is something that a policy gives or denies. Without an entitlement it is an account of the system.
type target struct{ connector, entitlement string }

// rule is an enforced policy, ready to be held against people.
type rule struct {
	deny      bool
	when      []string
	condition condition.Condition
	targets   []target
}

// rules are the enforced policies of the tenant as they are now.
func rules(ctx context.Context, tx *pg.Tx) ([]rule, error) {
	const sql = `
		select p.effect = 'deny', p.subject, p.resources, array(select jsonb_array_elements_text(p.lifecycle -> 'when'))
		  from access_policy p
		 where p.tenant_id = current_tenant()
		   and p.deleted_at is null
		   and p.enabled
		   and p.mode = 'enforce'
		 order by p.id`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("read policies for impact: %w", err)
	}
	var all []rule
	var of []policy.Resources
	var r rule
	var subject []byte
	var resources policy.Resources
	var roles, entitlements []string
	_, err = pgx.ForEachRow(rows, []any{&r.deny, &subject, &resources, &r.when}, func() error {
		parsed, problems := condition.Parse(json.RawMessage(slices.Clone(subject)))
		if len(problems) == 0 {
			all, of = append(
				all,
				rule{deny: r.deny, when: slices.Clone(r.when), condition: parsed},
			), append(
				of,
				resources,
			)
			roles, entitlements = append(roles, resources.RoleIDs...), append(entitlements, resources.EntitlementIDs...)
		}
		resources, r.when = policy.Resources{}, nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read policies for impact: %w", err)
	}
	return all, aim(ctx, tx, all, of, roles, entitlements)
}

// aim finds the targets of rules.
func aim(ctx context.Context, tx *pg.Tx, all []rule, of []policy.Resources, roles, entitlements []string) error {
	held, err := role.Entitlements(ctx, tx, once(roles))
	if err != nil {
		return err
	}
	const sql = `
		select e.id::text, e.connector_id::text
		  from entitlement e
		 where e.tenant_id = current_tenant()
		   and e.id = any ($1::text[]::uuid[])
		   and e.connector_id is not null
		   and e.lifecycle <> 'retired'
		   and e.removed_at is null`
	rows, err := tx.Query(ctx, sql, once(entitlements))
	if err != nil {
		return fmt.Errorf("read what policies give: %w", err)
	}
	systems := map[string]string{}
	var id, system string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&id, &system},
		func() error { systems[id] = system; return nil },
	); err != nil {
		return fmt.Errorf("read what policies give: %w", err)
	}
	for i, r := range of {
		for _, c := range r.ConnectorIDs {
			all[i].targets = append(all[i].targets, target{c, ""})
		}
		for _, e := range r.EntitlementIDs {
			if c, ok := systems[e]; ok {
				all[i].targets = append(all[i].targets, target{c, e})
			}
		}
		for _, x := range r.RoleIDs {
			for _, e := range held[x] {
				all[i].targets = append(all[i].targets, target{e.ConnectorID, e.ID})
			}
		}
	}
	return nil
}

// given is what rules give somebody.
func given(all []rule, status string, p *condition.Person) map[target]bool {
	out, denied := map[target]bool{}, map[target]bool{}
	for _, r := range all {
		if !slices.Contains(r.when, status) {
			continue
		}
		if met, _ := r.condition.Match(p); !met {
			continue
		}
		for _, t := range r.targets {
			if r.deny {
				denied[t] = true
			} else {
				out[t] = true
			}
		}
	}
	for t := range out {
		if denied[t] || denied[target{t.connector, ""}] {
			delete(out, t)
		}
	}
	return out
}

// Sizes of what is told of an impact.
const (
	mostSampled     = 20
	mostDepartments = 100
	mostShare       = 10 // percent of the people that may gain or lose without confirm
)

// weigh compares what rules give everybody before and after.
func (s *Service) weigh(ctx context.Context, tx *pg.Tx, before, after []rule) (policy.Impact, error) {
	out := policy.Impact{
		ByDepartment: []policy.DepartmentImpact{},
		Sample:       []policy.PersonImpact{},
		LimitsHit:    []policy.LimitHit{},
		Notes:        []string{},
	}
	out.Notes = append(
		out.Notes,
		"It counts what rules give and gave: who holds the same for another reason, such as a request, keeps it.",
	)
	lifecycle, err := lifecycle.Find(ctx, tx)
	if err != nil {
		return out, err
	}
	now := s.Now().In(lifecycle.Zone())
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	departments := map[string]*policy.DepartmentImpact{}
	var people, systems []string // who gains something, and where
	var gained []gaining
	err = identity.EachFacts(ctx, tx, nil, func(id string, f identity.Facts) error {
		status, _ := f["status"].(string)
		if status == "deactivated" || status == "archived" {
			return nil
		}
		out.PeopleTotal++
		p := &condition.Person{Identity: f, Day: day}
		had, has := given(before, status, p), given(after, status, p)
		if len(has) > 0 {
			out.Matched++
		}
		gains, losses := shifts(has, had), shifts(had, has)
		if len(gains)+len(losses) == 0 {
			return nil
		}
		for n, g := range gains { // in the order of their systems
			if n == 0 || gains[n-1].ConnectorID != g.ConnectorID {
				people, systems = append(people, id), append(systems, g.ConnectorID)
			}
		}
		gained = append(gained, gaining{id, gains, len(losses) > 0})
		display, _ := f["display_name"].(string)
		department, _ := f["department"].(string)
		d := departments[department]
		if d == nil {
			d = &policy.DepartmentImpact{Department: department}
			departments[department] = d
		}
		d.IdentitiesAffected, d.GrantsAdded, d.GrantsEnded = d.IdentitiesAffected+1, d.GrantsAdded+len(
			gains,
		), d.GrantsEnded+len(losses)
		out.IdentitiesAffected, out.GrantsAdded, out.GrantsEnded = out.IdentitiesAffected+1, out.GrantsAdded+len(
			gains,
		), out.GrantsEnded+len(losses)
		if len(out.Sample) < mostSampled {
			out.Sample = append(
				out.Sample,
				policy.PersonImpact{
					IdentityID: id,
					Display:    display,
					Department: department,
					Gains:      gains,
					Losses:     losses,
				},
			)
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	if out.AccountsCreated, err = accountsMissing(ctx, tx, people, systems); err != nil {
		return out, err
	}
	if err := countHeld(ctx, tx, gained, &out); err != nil {
		return out, err
	}
	out.ReasonsAdded, out.ReasonsEnded = out.GrantsAdded, out.GrantsEnded
	for _, d := range departments {
		out.ByDepartment = append(out.ByDepartment, *d)
	}
	slices.SortFunc(out.ByDepartment, func(a, b policy.DepartmentImpact) int {
		return cmp.Or(cmp.Compare(b.IdentitiesAffected, a.IdentitiesAffected), cmp.Compare(a.Department, b.Department))
	})
	out.ByDepartment = out.ByDepartment[:min(len(out.ByDepartment), mostDepartments)]
	if out.IdentitiesAffected*100 > out.PeopleTotal*mostShare {
		out.LimitsHit = append(
			out.LimitsHit,
			policy.LimitHit{
				Code:  "share_of_people",
				Limit: out.PeopleTotal * mostShare / 100,
				Count: out.IdentitiesAffected,
				Detail: fmt.Sprintf(
					"%d of %d people gain or lose something, more than %d %%",
					out.IdentitiesAffected,
					out.PeopleTotal,
					mostShare,
				),
			},
		)
	}
	return out, nil
}

// gaining is somebody who gains or loses something.
type gaining struct {
	id    string
	gains []policy.GrantShift
	loses bool
}

// peopleAtOnce bounds how many people's gains are looked up by one statement.
const peopleAtOnce = 500

// countHeld counts what people gain and hold in the systems already, and marks it in the sample, which shares its
// gains.
func countHeld(ctx context.Context, tx *pg.Tx, all []gaining, out *policy.Impact) error {
	for part := range slices.Chunk(all, peopleAtOnce) {
		var gains []policy.Gain
		for _, p := range part {
			for _, g := range p.gains {
				gains = append(
					gains,
					policy.Gain{IdentityID: p.id, ConnectorID: g.ConnectorID, EntitlementID: textOf(g.EntitlementID)},
				)
			}
		}
		held, err := policy.HeldAlready(ctx, tx, gains)
		if err != nil {
			return err
		}
		for _, p := range part {
			only := !p.loses
			for i := range p.gains {
				p.gains[i].Held = held[0]
				if only = only && held[0]; held[0] {
					out.GrantsHeld++
				}
				held = held[1:]
			}
			if only {
				out.ReasonsOnly++
			}
		}
	}
	return nil
}

// accountsMissing counts the people who have no account in a system in which they gain something.
func accountsMissing(ctx context.Context, tx *pg.Tx, people, systems []string) (n int, err error) {
	const sql = `
		select count(*)
		  from unnest($1::text[]::uuid[], $2::text[]::uuid[]) w (identity_id, connector_id)
		 where not exists (select from account a
		                    where a.tenant_id = current_tenant()
		                      and a.identity_id = w.identity_id
		                      and a.connector_id = w.connector_id
		                      and a.status not in ('deleted', 'disconnected'))`
	if len(people) == 0 {
		return 0, nil
	}
	if err := tx.QueryRow(ctx, sql, people, systems).Scan(&n); err != nil {
		return 0, fmt.Errorf("count accounts that are missing: %w", err)
	}
	return n, nil
}

// shifts are what is in a and not in b, in an order.
func shifts(a, b map[target]bool) []policy.GrantShift {
	out := []policy.GrantShift{}
	for t := range a {
		if !b[t] {
			g := policy.GrantShift{ConnectorID: t.connector}
			if t.entitlement != "" {
				g.EntitlementID = &t.entitlement
			}
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(x, y policy.GrantShift) int {
		return cmp.Or(
			cmp.Compare(x.ConnectorID, y.ConnectorID),
			cmp.Compare(textOf(x.EntitlementID), textOf(y.EntitlementID)),
		)
	})
	return out
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
