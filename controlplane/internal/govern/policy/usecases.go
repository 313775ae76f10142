package policy

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// List gives a page of policies, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f accesspolicy.Filters,
	page pg.Page,
) (items []accesspolicy.AccessPolicy, total int64, err error) {
	q, err := f.Query()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[accesspolicy.AccessPolicy](ctx, tx, q, page); err != nil {
			return err
		}
		return accesspolicy.Describe(ctx, tx, items)
	})
	return items, total, err
}

// Read gives one policy.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found accesspolicy.AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err = accesspolicy.Find(ctx, tx, id)
		return err
	})
	return found, err
}

// Create makes a policy. One that is enforced at once is confirmed like one that is switched on.
func (s *Service) Create(
	ctx context.Context,
	v viewer.Viewer,
	n accesspolicy.New,
	confirm string,
) (made accesspolicy.AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		planned := n.Fields
		if _, err := planned.Check(ctx, tx, accesspolicy.Fields{}); err != nil {
			return err
		}
		seen := 0
		if planned.Applies() {
			if seen, err = s.Simulations().
				Confirmed(ctx, tx, uuid.Must(uuid.NewV7()).String(), planned, confirm); err != nil {
				return err
			}
		}
		if made, err = accesspolicy.Create(ctx, tx, n); err != nil || seen == 0 {
			return err
		}
		return accesspolicy.Accept(ctx, tx, made.ID, seen)
	})
	return made, err
}

// Patch applies a merge patch. A condition is replaced as a whole: two cannot be merged into one that anybody has
// meant.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
	confirm string,
) (changed accesspolicy.AccessPolicy, err error) {
	if err := mergepatch.Keep(
		body,
		"name",
		"enabled",
		"mode",
		"effect",
		"birthright",
		"priority",
		"subject",
		"resources",
		"lifecycle",
		"constraints",
		"table",
	); err != nil {
		return changed, err
	}
	var given struct {
		Subject accesspolicy.Subject `json:"subject"`
	}
	if err := json.Unmarshal(body, &given); err != nil {
		return changed, fault.New(fault.Invalid, "subject is a condition")
	}
	return s.alter(
		ctx,
		v,
		id,
		match,
		"policy.updated",
		confirm,
		func(f accesspolicy.Fields) (accesspolicy.Fields, error) {
			after, err := mergepatch.Apply(f, body)
			if given.Subject != nil {
				after.Subject = given.Subject
			}
			return after, err
		},
	)
}

// Enable switches a policy on.
func (s *Service) Enable(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	confirm string,
) (accesspolicy.AccessPolicy, error) {
	return s.set(ctx, v, id, match, "policy.enabled", confirm, func(f *accesspolicy.Fields) { f.Enabled = true })
}

// Disable switches a policy off.
func (s *Service) Disable(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (accesspolicy.AccessPolicy, error) {
	return s.set(ctx, v, id, match, "policy.disabled", "", func(f *accesspolicy.Fields) { f.Enabled = false })
}

// SetMode has a policy enforced, or only watch.
func (s *Service) SetMode(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	mode, confirm string,
) (accesspolicy.AccessPolicy, error) {
	return s.set(ctx, v, id, match, "policy.mode_changed", confirm, func(f *accesspolicy.Fields) { f.Mode = mode })
}

// set changes fields by a function that cannot fail; see alter.
func (s *Service) set(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	action, confirm string,
	set func(*accesspolicy.Fields),
) (accesspolicy.AccessPolicy, error) {
	return s.alter(ctx, v, id, match, action, confirm, func(f accesspolicy.Fields) (accesspolicy.Fields, error) {
		set(&f)
		return f, nil
	})
}

// alter changes a policy in a transaction of its own: locked, after If-Match, by how. A change of
// an enforced policy that would change access is simulated first, and confirm must name exactly
// that impact.
func (s *Service) alter(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	action, confirm string,
	how func(accesspolicy.Fields) (accesspolicy.Fields, error),
) (changed accesspolicy.AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := accesspolicy.Locked(ctx, tx, id, " for update of p")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after, err := how(before.Fields)
		if err != nil {
			return err
		}
		planned := after
		if _, err := planned.Check(ctx, tx, before.Fields); err != nil {
			return err
		}
		seen := 0
		if planned.Applies() && changesAccess(before, planned) {
			if seen, err = s.Simulations().Confirmed(ctx, tx, id, planned, confirm); err != nil {
				return err
			}
		}
		if changed, err = accesspolicy.Rewrite(ctx, tx, before, after, action); err != nil || seen == 0 {
			return err
		}
		return accesspolicy.Accept(ctx, tx, id, seen)
	})
	return changed, err
}

// changesAccess says whether after gives anybody something else than the policy does now.
func changesAccess(p accesspolicy.AccessPolicy, after accesspolicy.Fields) bool {
	a, b := p.Fields, after
	for _, f := range []*accesspolicy.Fields{&a, &b} {
		f.Name, f.Description, f.Priority, f.OwnerIDs, f.CircuitBreaker = "", "", 0, nil, nil
	}
	changes, err := audit.Diff(a, b)
	return err != nil || len(changes) > 0
}

// Delete takes a policy away.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := accesspolicy.Locked(ctx, tx, id, " for update of p")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return accesspolicy.Retire(ctx, tx, id)
	})
}

// Reset lets a policy go on that its breaker has stopped: what is due now may be done.
func (s *Service) Reset(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (found accesspolicy.AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := accesspolicy.Locked(ctx, tx, id, " for update of p")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if before.TrippedAt == nil {
			return fault.Coded(fault.Conflict, "breaker_not_tripped", "the breaker of this policy has not stopped it")
		}
		sim, err := s.Simulations().Plan(ctx, tx, id, before.Fields, before.UpdatedAt, nil)
		if err != nil {
			return err
		}
		due := sim.ReasonsAdded + sim.ReasonsEnded
		if err := accesspolicy.Accept(ctx, tx, id, due); err != nil {
			return err
		}
		err = audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "policy.breaker_reset",
				Subject: before.AuditSubject(),
				Context: map[string]any{"changes_accepted": due},
			},
		)
		if err != nil {
			return err
		}
		found, err = accesspolicy.Find(ctx, tx, id)
		return err
	})
	return found, err
}
