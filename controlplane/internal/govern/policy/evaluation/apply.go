package evaluation

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/review"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// Result is what the evaluation of some people has found and done. Added and Ended count reasons; Stats are by the id
// of the policy.
type Result struct {
	// people is how many were evaluated.
	people int
	Added  int
	Ended  int
	Stats  map[string]accesspolicy.Stats // by policy
}

// Count adds to the statistics of a policy.
func (t *Result) Count(id string, more accesspolicy.Stats) {
	s := t.Stats[id]
	s.Matched += more.Matched
	s.WouldGrant += more.WouldGrant
	s.WouldEnd += more.WouldEnd
	s.Lacking += more.Lacking
	s.ToReview += more.ToReview
	s.Withheld += more.Withheld
	s.Warnings += more.Warnings
	t.Stats[id] = s
}

// Evaluate compares some people with the rules, and writes the changes, in the caller's transaction. insistent gives
// again what was revoked: an order to evaluate is a reason of its own. urgent are the people whose access must change
// before everybody else's.
func (b *Rulebook) Evaluate(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	urgent map[string]bool,
	insistent bool,
) (Result, error) {
	t := Result{Stats: map[string]accesspolicy.Stats{}}
	living, err := ReadReasons(ctx, tx, ids, false)
	if err != nil {
		return t, err
	}
	var changes []Change
	var left []string
	var lacks []requirement.Found
	var reviews []review.Found
	err = b.EachPerson(ctx, tx, ids, func(p *Person) error {
		t.people++
		if p.Gone() {
			left = append(left, p.ID)
			return nil
		}
		out := b.Diff(p, living[p.ID])
		changes = append(changes, out.Changes...)
		lacks = append(lacks, out.lacks(p)...)
		reviews = append(reviews, out.reviews(p)...)
		t.note(p, out)
		return nil
	})
	if err != nil {
		return t, err
	}
	if err := requirement.Record(ctx, tx, ids, lacks, b.Now); err != nil {
		return t, err
	}
	if err := review.Record(ctx, tx, ids, reviews, b.Now); err != nil {
		return t, err
	}
	if err := endAll(ctx, tx, left, urgent, &t); err != nil {
		return t, err
	}
	if err := assignment.Leave(ctx, tx, left, whyLeft); err != nil {
		return t, err
	}
	if !insistent {
		if changes, err = b.WithoutTaken(ctx, tx, changes, &t); err != nil {
			return t, err
		}
	}
	if changes, err = b.withoutTripped(ctx, tx, changes); err != nil {
		return t, err
	}
	if changes, err = standing(ctx, tx, changes); err != nil {
		return t, err
	}
	return t, b.apply(ctx, tx, changes, urgent, &t)
}

// note counts what the rules say of a person.
func (t *Result) note(p *Person, out outcome) {
	for _, r := range out.Matched {
		t.Count(r.Policy.ID, accesspolicy.Stats{Matched: 1, WouldGrant: out.would[r][0]})
	}
	for r := range out.Reviews {
		t.Count(r.Policy.ID, accesspolicy.Stats{ToReview: 1})
	}
	for r, missing := range out.Lacks {
		if len(missing) > 0 {
			t.Count(r.Policy.ID, accesspolicy.Stats{Lacking: 1})
		}
	}
	for _, r := range p.warned {
		t.Count(r.Policy.ID, accesspolicy.Stats{Warnings: 1})
	}
}

// lacks are what enforced policies require of a person, with what is missing.
func (o outcome) lacks(p *Person) (found []requirement.Found) {
	for r, missing := range o.Lacks {
		if r.Policy.Applies() {
			found = append(found, requirement.Found{IdentityID: p.ID, PolicyID: r.Policy.ID, Policy: r.Policy.Name,
				PolicyVersion: r.Policy.Version, Missing: missing})
		}
	}
	return found
}

// reviews are the policies that no longer give a person what they have, and keep it until a decision.
func (o outcome) reviews(p *Person) (found []review.Found) {
	for r, undecided := range o.Reviews {
		f := review.Found{
			IdentityID:    p.ID,
			PolicyID:      r.Policy.ID,
			Policy:        r.Policy.Name,
			PolicyVersion: r.Policy.Version,
		}
		for _, x := range undecided {
			f.ReasonIDs = append(f.ReasonIDs, x.ID)
		}
		found = append(found, f)
	}
	return found
}

// endAll ends every reason of those who have left, whatever it is of.
func endAll(ctx context.Context, tx *pg.Tx, left []string, urgent map[string]bool, t *Result) error {
	var usual, first []string
	for _, id := range left {
		if urgent[id] {
			first = append(first, id)
		} else {
			usual = append(usual, id)
		}
	}
	for _, part := range []struct {
		ids    []string
		urgent bool
	}{{first, true}, {usual, false}} {
		if len(part.ids) == 0 {
			continue
		}
		n, err := ledger.End(ctx, tx, ledger.Which{IdentityIDs: part.ids}, time.Time{}, whyLeft, part.urgent)
		if err != nil {
			return err
		}
		t.Ended += n
	}
	return nil
}

// apply writes changes into the ledger.
func (b *Rulebook) apply(ctx context.Context, tx *pg.Tx, changes []Change, urgent map[string]bool, t *Result) error {
	var added []ledger.Reason
	type ending struct {
		at     time.Time
		why    string
		urgent bool
	}
	ends := map[ending][]string{}
	var order []ending
	for _, c := range changes {
		if c.Add {
			added = append(added, c.given())
			continue
		}
		e := ending{c.At, c.why, urgent[c.Identity]}
		if ends[e] == nil {
			order = append(order, e)
		}
		ends[e] = append(ends[e], c.Reason.ID)
	}
	n, err := ledger.Add(ctx, tx, added)
	if err != nil {
		return err
	}
	t.Added += n
	for _, e := range order {
		n, err := ledger.End(ctx, tx, ledger.Which{ReasonIDs: ends[e]}, e.at, e.why, e.urgent)
		if err != nil {
			return err
		}
		t.Ended += n
	}
	return nil
}

// given is the reason that a change adds.
func (c Change) given() ledger.Reason {
	if c.assigned != nil {
		r := c.assigned.Gives(content.Entitlement{ID: c.Key.Entitlement, ConnectorID: c.Key.Connector})
		r.StartsAt = c.Starts
		return r
	}
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return ledger.Reason{
		IdentityID:    c.Identity,
		ConnectorID:   c.Key.Connector,
		EntitlementID: optional(c.Key.Entitlement),
		RoleID:        optional(c.Key.Role),
		Effect:        c.Key.Effect,
		Kind:          c.Key.kind,
		SourceType:    c.rule.Source,
		SourceID:      c.Key.Policy,
		SourceVersion: c.rule.Policy.Version,
		StartsAt:      c.Starts,
	}
}

// QueueGroup is the group of all this work in the queue: one transaction at a time evaluates in a tenant.
const QueueGroup = "policy"
