package chain

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// facts are what is known about the people and things of questions, read once for all of them.
type facts struct {
	people map[string]fact
	things map[string]thing
}

// fact is what approvers are told about a person.
type fact struct {
	ID         string  `db:"id" json:"id"`
	Display    string  `db:"display" json:"display"`
	Title      *string `db:"title" json:"title"`
	Department *string `db:"department" json:"department"`
	ManagerID  *string `db:"manager_id" json:"manager_id"`
	Manager    *string `db:"manager" json:"manager"`
	Status     string  `db:"status" json:"status"`
	Unable     string  `db:"unable" json:"-"` // why they cannot decide; empty: they can
}

// thing is what approvers are told about a role or entitlement.
type thing struct {
	ID          string  `db:"id" json:"id"`
	Display     string  `db:"display" json:"display"`
	Description string  `db:"description" json:"description"`
	Risk        *string `db:"risk_level" json:"risk_level"`
	Privileged  bool    `db:"privileged" json:"privileged"`
	System      string  `db:"system" json:"system,omitempty"`
}

// look reads the facts of all questions that were gathered.
func (w *work) look(ctx context.Context) (known facts, err error) {
	people, things := map[string]bool{}, map[string]bool{}
	for _, q := range w.asks {
		for _, id := range []*string{&q.f.Subject.BeneficiaryID, &q.f.Subject.RequesterID} {
			people[*id] = true
		}
		for _, id := range []*string{q.f.Subject.RoleID, q.f.Subject.EntitlementID} {
			if id != nil {
				things[*id] = true
			}
		}
	}
	delete(people, "")
	if known.people, err = lookAtPeople(ctx, w.tx, slices.Collect(maps.Keys(people))); err != nil {
		return known, err
	}
	known.things, err = lookAtThings(ctx, w.tx, slices.Collect(maps.Keys(things)))
	return known, err
}

func lookAtPeople(ctx context.Context, tx *pg.Tx, ids []string) (map[string]fact, error) {
	const sql = `
		select i.id::text, i.display_name as display, i.title, i.department, i.status, m.id::text as manager_id,
		       m.display_name as manager, unable_to_decide(i.id) as unable
		  from identity i
		  left join identity m
		    on m.tenant_id = i.tenant_id
		   and m.id = i.manager_id
		 where i.tenant_id = current_tenant()
		   and i.id = any(@ids::text[]::uuid[])`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("look at people: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[fact])
	if err != nil {
		return nil, fmt.Errorf("look at people: %w", err)
	}
	found := map[string]fact{}
	for _, each := range list {
		found[each.ID] = each
	}
	return found, nil
}

func lookAtThings(ctx context.Context, tx *pg.Tx, ids []string) (map[string]thing, error) {
	const sql = `
		select e.id::text, e.display_name as display,
		       coalesce(nullif(e.business_description, ''), e.description, '') as description, e.risk_level,
		           e.privileged, coalesce(c.name, '') as system
		  from entitlement e
		  left join connector c on c.tenant_id = e.tenant_id and c.id = e.connector_id
		 where e.tenant_id = current_tenant()
		   and e.id = any(@ids::text[]::uuid[])
		 union all
		select r.id::text, r.name, r.description, r.risk_level, false, ''
		  from role r
		 where r.tenant_id = current_tenant()
		   and r.id = any(@ids::text[]::uuid[])`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("look at things: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[thing])
	if err != nil {
		return nil, fmt.Errorf("look at things: %w", err)
	}
	found := map[string]thing{}
	for _, each := range list {
		found[each.ID] = each
	}
	return found, nil
}

// name is what somebody is called; otherwise what they are not known by.
func (k facts) name(id, otherwise string) string {
	if p, known := k.people[id]; known && p.Display != "" {
		return p.Display
	}
	return otherwise
}

// context is everything that an approver needs to decide. What was handed in with the matter comes first.
func (k facts) context(f *flow, st *step) map[string]any {
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
		"starts_at": stamp(f.Subject.StartsAt),
		"ends_at":   stamp(f.Subject.EndsAt),
		"duration":  f.Subject.Duration,
	}
	if f.StartsAt != nil || f.EndsAt != nil {
		c["changed_by_approvers"] = map[string]any{"starts_at": stamp(f.StartsAt), "ends_at": stamp(f.EndsAt)}
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
	c["stage"] = map[string]any{"index": st.Stage, "name": f.definition(st.Stage).Name, "of": len(f.Plan.Stages)}
	c["decided_before"] = f.decidedBefore()
	return c
}

// decidedBefore are the answers that a chain has had.
func (f *flow) decidedBefore() []map[string]any {
	before := []map[string]any{}
	for _, st := range f.steps {
		for _, s := range st.slots {
			if s.DecidedBy != nil && (s.State == slotApproved || s.State == slotRejected) {
				before = append(
					before,
					map[string]any{
						"stage":    f.definition(st.Stage).Name,
						"by":       s.DecidedBy.Display,
						"decision": s.State,
						"comment":  s.Comment,
						"at":       stamp(s.DecidedAt),
					},
				)
			}
		}
	}
	return before
}
