package policy

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// plan is what would come of a policy that said this and were enforced, beside what is so today. id is that of the
// policy whose reasons live, or a new one. since is when it began to say so: what somebody has taken before that is
// given again.
func (s *Service) plan(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	f Fields,
	since time.Time,
	each func(PersonImpact) error,
) (*simulation, error) {
	f.Enabled, f.Mode = true, Enforce
	b, err := makeBook(ctx, tx, []AccessPolicy{{ID: id, Fields: f, UpdatedAt: since}}, nil, s.Now())
	if err != nil {
		return nil, err
	}
	sim, err := b.simulate(ctx, tx, each)
	if err != nil {
		return nil, err
	}
	sim.limits(f)
	return sim, nil
}

// confirmed plans a policy that is to be enforced, and is a fault of kind Conflict with the plan unless it is within
// its limits or somebody has seen exactly this. It gives the changes that were seen.
func (s *Service) confirmed(ctx context.Context, tx *pg.Tx, id string, f Fields, confirm string) (seen int, err error) {
	sim, err := s.plan(ctx, tx, id, f, s.Now(), nil)
	if err != nil {
		return 0, err
	}
	if err := sim.Confirmed(confirm); err != nil || len(sim.LimitsHit) == 0 {
		return 0, err
	}
	return sim.ReasonsAdded + sim.ReasonsEnded, nil
}

// Confirmed is a fault of kind Conflict with the impact unless it is within its limits, or confirm is the hash of
// exactly this plan.
func (i PolicyImpact) Confirmed(confirm string) error {
	switch {
	case len(i.LimitsHit) == 0:
		return nil
	case confirm == "":
		return fault.Coded(fault.Conflict, "confirmation_required", "%s; look at the impact, and confirm it by its "+
			"plan_hash", i.LimitsHit[0].Detail).
			Also("impact", i)
	case confirm != i.PlanHash:
		return fault.Coded(fault.Conflict, "plan_changed", "what you have confirmed is not what would happen any "+
			"more; look at the impact again").
			Also("impact", i)
	}
	return nil
}

// Simulate says what would come of a policy that said this. Nothing is written but an audit event.
func (s *Service) Simulate(
	ctx context.Context,
	v viewer.Viewer,
	f Fields,
	each func(PersonImpact) error,
) (out Impact, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := f.check(ctx, tx, Resources{}); err != nil {
			return err
		}
		sim, err := s.plan(ctx, tx, uuid.Must(uuid.NewV7()).String(), f, s.Now(), each)
		if err != nil {
			return err
		}
		out = sim.PolicyImpact
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "policy.simulated", Subject: audit.Subject{Type: "policy", Display: f.Name},
				Context: map[string]any{"identities_affected": out.IdentitiesAffected}},
		)
	})
	return out, err
}

// SimulateStored says what would come of enforcing a policy that there is.
func (s *Service) SimulateStored(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	each func(PersonImpact) error,
) (out Impact, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		p, err := find(ctx, tx, id, "")
		if err != nil {
			return err
		}
		since := p.UpdatedAt
		if !p.applies() {
			since = s.Now() // switching it on makes a new version of it
		}
		sim, err := s.plan(ctx, tx, id, p.Fields, since, each)
		if err != nil {
			return err
		}
		out = sim.PolicyImpact
		if p.applies() && p.TrippedAt == nil {
			out.Notes = append(out.Notes, "the policy is enforced already: this is what has still to be done")
		}
		if p.TrippedAt != nil {
			out.Notes = append(
				out.Notes,
				"its breaker has stopped the policy: this is what it would do were that accepted",
			)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "policy.simulated", Subject: p.subject(),
			Context: map[string]any{"identities_affected": out.IdentitiesAffected}})
	})
	return out, err
}
