package accessdiff

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Sizes of what is shown of an impact.
const (
	mostSampled     = 20
	mostDepartments = 100
)

// Compare compares what rules give every person who has not left, before and after a change. at is the moment that
// decides which day it is for the tenant. The result has neither reasons nor a plan hash of its own: reasons_added
// equals grants_added. gains are the IDs of the entitlements that each person gains, by the ID of the person.
func Compare(
	ctx context.Context,
	tx *pg.Tx,
	before, after []Rule,
	at time.Time,
) (out impact.Impact, gains map[string][]string, err error) {
	out = impact.Impact{
		ByDepartment: []impact.DepartmentImpact{},
		Sample:       []impact.PersonImpact{},
		LimitsHit:    []impact.LimitHit{},
		Notes:        []string{},
	}
	out.Notes = append(
		out.Notes,
		"It counts what rules give and gave: who holds the same for another reason, such as a request, keeps it.",
	)
	lifecycle, err := rules.Find(ctx, tx)
	if err != nil {
		return out, nil, err
	}
	now := at.In(lifecycle.Zone())
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	before, after = openAt(before, now), openAt(after, now)
	departments := map[string]*impact.DepartmentImpact{}
	var people, systems []string // who gains something, and where
	var gained []gaining
	err = identity.EachFacts(ctx, tx, nil, func(id string, f identity.Facts) error {
		status, _ := f["status"].(string)
		if status == "deactivated" || status == "archived" {
			return nil
		}
		out.PeopleTotal++
		p := &fact.Person{Identity: f, Day: day}
		had, has := given(before, status, p), given(after, status, p)
		if len(has) > 0 {
			out.Matched++
		}
		gains, losses, kept := changes(had, has)
		if len(kept) > 0 {
			out.PeopleToReview, out.GrantsToReview = out.PeopleToReview+1, out.GrantsToReview+len(kept)
		}
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
			d = &impact.DepartmentImpact{Department: department}
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
				impact.PersonImpact{
					IdentityID: id,
					Display:    display,
					Department: department,
					Gains:      gains,
					Losses:     losses,
					ToReview:   kept,
				},
			)
		}
		return nil
	})
	if err != nil {
		return out, nil, err
	}
	if out.AccountsCreated, err = accountsMissing(ctx, tx, people, systems); err != nil {
		return out, nil, err
	}
	if err := countHeld(ctx, tx, gained, &out); err != nil {
		return out, nil, err
	}
	out.ReasonsAdded, out.ReasonsEnded = out.GrantsAdded, out.GrantsEnded
	for _, d := range departments {
		out.ByDepartment = append(out.ByDepartment, *d)
	}
	slices.SortFunc(out.ByDepartment, func(a, b impact.DepartmentImpact) int {
		return cmp.Or(cmp.Compare(b.IdentitiesAffected, a.IdentitiesAffected), cmp.Compare(a.Department, b.Department))
	})
	out.ByDepartment = out.ByDepartment[:min(len(out.ByDepartment), mostDepartments)]
	if hit, over := impact.ShareOfPeople(out.IdentitiesAffected, out.PeopleTotal); over {
		out.LimitsHit = append(out.LimitsHit, hit)
	}
	return out, gainedBy(gained), nil
}

// gainedBy are the entitlements that people gain, by person.
func gainedBy(all []gaining) map[string][]string {
	out := make(map[string][]string, len(all))
	for _, p := range all {
		for _, g := range p.gains {
			if g.EntitlementID != nil {
				out[p.id] = append(out[p.id], *g.EntitlementID)
			}
		}
	}
	return out
}

// changes returns the access that a person gains, loses, and keeps until a decision.
func changes(had, has map[target]bool) (gains, losses, kept []impact.GrantShift) {
	lost, reviewed := map[target]bool{}, map[target]bool{}
	for t, review := range had {
		if review {
			reviewed[t] = true
		} else {
			lost[t] = true
		}
	}
	return shifts(has, had), shifts(lost, has), shifts(reviewed, has)
}

// shifts are what is in a and not in b, in an order.
func shifts(a, b map[target]bool) []impact.GrantShift {
	out := []impact.GrantShift{}
	for t := range a {
		if _, both := b[t]; !both {
			g := impact.GrantShift{ConnectorID: t.connector}
			if t.entitlement != "" {
				g.EntitlementID = &t.entitlement
			}
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(x, y impact.GrantShift) int {
		return cmp.Or(
			cmp.Compare(x.ConnectorID, y.ConnectorID),
			cmp.Compare(textOf(x.EntitlementID), textOf(y.EntitlementID)),
		)
	})
	return out
}

// textOf is the text behind a pointer, empty for nil.
func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
