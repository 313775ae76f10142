package question

import (
	"context"
	"maps"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// facts are what is known about the people and things of questions, read once for all of them.
type facts struct {
	people map[string]Person
	things map[string]Resource
}

// look reads the facts of all questions that were gathered.
func look(ctx context.Context, tx *pg.Tx, asks []*Question) (known facts, err error) {
	people, things := map[string]bool{}, map[string]bool{}
	for _, q := range asks {
		for _, id := range []*string{&q.F.Subject.BeneficiaryID, &q.F.Subject.RequesterID} {
			people[*id] = true
		}
		for _, id := range []*string{q.F.Subject.RoleID, q.F.Subject.EntitlementID} {
			if id != nil {
				things[*id] = true
			}
		}
	}
	delete(people, "")
	if known.people, err = People(ctx, tx, slices.Collect(maps.Keys(people))); err != nil {
		return known, err
	}
	known.things, err = resources(ctx, tx, slices.Collect(maps.Keys(things)))
	return known, err
}

// name is what somebody is called; otherwise what they are not known by.
func (k facts) name(id, otherwise string) string {
	if p, known := k.people[id]; known && p.Display != "" {
		return p.Display
	}
	return otherwise
}

// context is everything that an approver needs to decide. What was handed in with the item comes first.
func (k facts) context(f *state.Flow, st *state.Stage) map[string]any {
	c := maps.Clone(f.Shown.Context)
	if c == nil {
		c = map[string]any{}
	}
	c["request"] = map[string]any{
		"id":         f.RequestID,
		"number":     f.Number,
		"item_id":    f.ItemID,
		"kind":       f.Subject.Kind,
		"urgency":    f.Subject.Urgency,
		"expires_at": f.ExpiresAt.UTC().Format("2006-01-02T15:04:05Z07:00"),
	}
	c["justification"] = f.Subject.Justification
	c["external_reference"] = f.Subject.ExternalReference
	c["duration"] = map[string]any{
		"starts_at": state.Stamp(f.Subject.StartsAt),
		"ends_at":   state.Stamp(f.Subject.EndsAt),
		"duration":  f.Subject.Duration,
	}
	if f.StartsAt != nil || f.EndsAt != nil {
		c["changed_by_approvers"] = map[string]any{
			"starts_at": state.Stamp(f.StartsAt),
			"ends_at":   state.Stamp(f.EndsAt),
		}
	}
	c["beneficiary"] = f.Shown.Who
	if p, known := k.people[f.Subject.BeneficiaryID]; known {
		c["beneficiary"] = p
	}
	c["requester"] = f.Shown.RequestedBy
	if p, known := k.people[f.Subject.RequesterID]; known {
		c["requester"] = p
	}
	c["item"] = f.Shown.What
	for _, id := range []*string{f.Subject.RoleID, f.Subject.EntitlementID} {
		if id != nil {
			if t, known := k.things[*id]; known {
				c["item"] = t
			}
		}
	}
	c["rule"] = map[string]any{
		"name":            f.Plan.Rule.Name,
		"version":         f.Plan.Rule.Version,
		"matched_because": f.Plan.Rule.MatchedBecause,
	}
	c["stage"] = map[string]any{"index": st.Stage, "name": f.Definition(st.Stage).Name, "of": len(f.Plan.Stages)}
	if exceptions := f.ExceptionsOf(st.Stage); len(exceptions) > 0 {
		c["exceptions"] = exceptions
	}
	c["decided_before"] = f.DecidedBefore()
	return c
}
