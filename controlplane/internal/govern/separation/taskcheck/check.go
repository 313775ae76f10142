package taskcheck

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
)

// grant is a task that grants an entitlement to a person.
type grant struct {
	ID            string
	IdentityID    string
	EntitlementID string
	Requested     bool // by an access request
	Held          bool
	// Allowed are the policies with their versions that an override applies to.
	Allowed []taskstore.HoldingPolicy
}

const grantColumns = `
	t.id::text, t.identity_id::text, t.entitlement_id::text, t.created_from = 'request', t.held_at is not null,
	coalesce(t.hold_override -> 'policies', '[]')`

// Admit returns those of the grants, by their tasks, that must not be made now. The caller has locked the tasks. People
// are locked until the transaction ends, so that of two grants that only together violate a policy one is held.
func Admit(ctx context.Context, tx *pg.Tx, taskIDs []string) ([]taskstore.Held, error) {
	b, err := rulebook.For(ctx, tx)
	if err != nil || !b.Any(holds) {
		return nil, err
	}
	grants, err := pg.AllBy(ctx, tx, "read grants to be made", pgx.RowToStructByPos[grant], `
		select `+grantColumns+`
		  from provisioning_task t
		 where t.id = any($1::text[]::uuid[])
		   and t.identity_id is not null
		   and t.entitlement_id is not null
		 order by t.id`, taskIDs)
	if err != nil || len(grants) == 0 {
		return nil, err
	}
	const lock = `
		select pg_advisory_xact_lock(hashtextextended('separation|' || p.id, 0))
		  from (select distinct unnest($1::text[]) as id order by 1) p`
	if err := pg.Exec(ctx, tx, "lock people", lock, people(grants)); err != nil {
		return nil, err
	}
	return refused(ctx, tx, b, grants, time.Now())
}

// holds reports whether a policy could hold a grant.
func holds(p rulebook.Policy) bool {
	return definition.Refuses(p.EffectOnRequest()) || definition.Refuses(p.EffectOnAssignment())
}

// effect is that of a policy on the grant.
func (g grant) effect(p rulebook.Policy) string {
	if g.Requested {
		return p.EffectOnRequest()
	}
	return p.EffectOnAssignment()
}

// people are the people of grants, each once.
func people(grants []grant) []string {
	ids := make([]string, len(grants))
	for i, g := range grants {
		ids[i] = g.IdentityID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

const advice = "The owners of the policy and administrators decide. The change goes on automatically when the other " +
	"access is removed or the policy no longer applies."

// refused returns the grants that violate a policy, taken in their order.
func refused(
	ctx context.Context,
	tx *pg.Tx,
	b *rulebook.Book,
	grants []grant,
	now time.Time,
) ([]taskstore.Held, error) {
	w, err := load(ctx, tx, b, grants, now)
	if err != nil {
		return nil, err
	}
	var found []check.Found
	var of []string // tasks, in the order of found
	taken := map[string][]int{}
	for _, g := range grants {
		violations := w.violations(b, g, taken[g.IdentityID])
		if len(violations) == 0 {
			taken[g.IdentityID] = append(taken[g.IdentityID], w.position[g.ID])
		}
		for _, f := range violations {
			found, of = append(found, f), append(of, g.ID)
		}
	}
	described, err := check.Describe(ctx, tx, b, found)
	if err != nil {
		return nil, err
	}
	var held []taskstore.Held
	for i, c := range described {
		if i == 0 || of[i] != of[i-1] {
			held = append(held, taskstore.Held{ID: of[i], Code: "separation_of_duties", Advice: advice})
		}
		add(&held[len(held)-1], c)
	}
	return held, nil
}

// Details of a hold, for the decision about it.
type Details struct {
	// Violations that the grant would cause.
	Violations []check.SeparationConflict `json:"violations"`
}

// add adds a violation to the reason of a hold. The message is for everyone who may see the task, and names no other
// access of the person.
func add(h *taskstore.Held, c check.SeparationConflict) {
	details, _ := h.Details.(Details)
	details.Violations = append(details.Violations, c)
	h.Details = details
	h.Policies = append(h.Policies, taskstore.HoldingPolicy{ID: c.Policy.ID, Name: c.Policy.Name,
		Version: c.Policy.Version})
	var names []string
	for _, p := range h.Policies {
		if name := strconv.Quote(p.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	h.Message = "The access would violate the policy " + names[0] + "."
	if len(names) > 1 {
		h.Message = "The access would violate the policies " + strings.Join(names, ", ") + "."
	}
}
