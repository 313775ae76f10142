package policy

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// List gives a page of policies, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []AccessPolicy, total int64, err error) {
	q, err := f.query()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[AccessPolicy](ctx, tx, q, page); err != nil {
			return err
		}
		return describe(ctx, tx, items)
	})
	return items, total, err
}

// Read gives one policy.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err = Find(ctx, tx, id)
		return err
	})
	return found, err
}

// Create makes a policy. One that is enforced at once is confirmed like one that is switched on.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n New, confirm string) (made AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		planned := n.Fields
		if _, err := planned.check(ctx, tx, Resources{}); err != nil {
			return err
		}
		seen := 0
		if planned.applies() {
			if seen, err = s.confirmed(ctx, tx, uuid.Must(uuid.NewV7()).String(), planned, confirm); err != nil {
				return err
			}
		}
		if made, err = Create(ctx, tx, n); err != nil || seen == 0 {
			return err
		}
		return Accept(ctx, tx, made.ID, seen)
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
) (changed AccessPolicy, err error) {
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
	); err != nil {
		return changed, err
	}
	var given struct {
		Subject Subject `json:"subject"`
	}
	if err := json.Unmarshal(body, &given); err != nil {
		return changed, fault.New(fault.Invalid, "subject is a condition")
	}
	return s.alter(ctx, v, id, match, "policy.updated", confirm, func(f Fields) (Fields, error) {
		after, err := mergepatch.Apply(f, body)
		if given.Subject != nil {
			after.Subject = given.Subject
		}
		return after, err
	})
}

// Enable switches a policy on.
func (s *Service) Enable(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	confirm string,
) (AccessPolicy, error) {
	return s.set(ctx, v, id, match, "policy.enabled", confirm, func(f *Fields) { f.Enabled = true })
}

// Disable switches a policy off.
func (s *Service) Disable(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (AccessPolicy, error) {
	return s.set(ctx, v, id, match, "policy.disabled", "", func(f *Fields) { f.Enabled = false })
}

// SetMode has a policy enforced, or only watch.
func (s *Service) SetMode(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	mode, confirm string,
) (AccessPolicy, error) {
	return s.set(ctx, v, id, match, "policy.mode_changed", confirm, func(f *Fields) { f.Mode = mode })
}

func (s *Service) set(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	action, confirm string,
	set func(*Fields),
) (AccessPolicy, error) {
	return s.alter(ctx, v, id, match, action, confirm, func(f Fields) (Fields, error) {
		set(&f)
		return f, nil
	})
}

func (s *Service) alter(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	action, confirm string,
	how func(Fields) (Fields, error),
) (changed AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of p")
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
		if _, err := planned.check(ctx, tx, before.Resources); err != nil {
			return err
		}
		seen := 0
		if planned.applies() && before.changesAccess(planned) {
			if seen, err = s.confirmed(ctx, tx, id, planned, confirm); err != nil {
				return err
			}
		}
		if changed, err = rewrite(ctx, tx, before, after, action); err != nil || seen == 0 {
			return err
		}
		return Accept(ctx, tx, id, seen)
	})
	return changed, err
}

// changesAccess says whether after gives anybody something else than the policy does now.
func (p AccessPolicy) changesAccess(after Fields) bool {
	a, b := p.Fields, after
	for _, f := range []*Fields{&a, &b} {
		f.Name, f.Description, f.Priority, f.OwnerIDs, f.CircuitBreaker = "", "", 0, nil, nil
	}
	changes, err := mergepatch.Diff(a, b)
	return err != nil || len(changes) > 0
}

// Delete takes a policy away.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of p")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return Retire(ctx, tx, id)
	})
}

// Reset lets a policy go on that its breaker has stopped: what is due now may be done.
func (s *Service) Reset(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (found AccessPolicy, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of p")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if before.TrippedAt == nil {
			return fault.Coded(fault.Conflict, "breaker_not_tripped", "the breaker of this policy has not stopped it")
		}
		sim, err := s.plan(ctx, tx, id, before.Fields, before.UpdatedAt, nil)
		if err != nil {
			return err
		}
		due := sim.ReasonsAdded + sim.ReasonsEnded
		if err := Accept(ctx, tx, id, due); err != nil {
			return err
		}
		err = audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "policy.breaker_reset",
				Subject: before.subject(),
				Context: map[string]any{"changes_accepted": due},
			},
		)
		if err != nil {
			return err
		}
		found, err = Find(ctx, tx, id)
		return err
	})
	return found, err
}

// PersonEvaluation is what the policies say of one person.
type PersonEvaluation struct {
	DryRun bool `json:"dry_run"`
	// The policies that are about them, shadow ones too.
	Matched []PolicyRef `json:"matched" nullable:"false"`
	// What they gain and lose by it.
	Impact       PersonImpact `json:"impact"`
	ReasonsAdded int          `json:"reasons_added"`
	ReasonsEnded int          `json:"reasons_ended"`
}

// PolicyRef names a policy.
type PolicyRef struct {
	ID         string `json:"id"`
	Display    string `json:"display"`
	Mode       string `json:"mode" enum:"shadow,enforce"`
	Birthright bool   `json:"birthright"`
}

// EvaluatePerson says what the policies make of one person, and does it unless it is dry. An order gives again what was
// taken.
func (s *Service) EvaluatePerson(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	dry bool,
) (out PersonEvaluation, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		who, err := identity.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := queue.Lock(ctx, tx, group); err != nil {
			return err
		}
		b, err := loadBook(ctx, tx, s.Now())
		if err != nil {
			return err
		}
		if out, err = b.person(ctx, tx, who.ID); err != nil {
			return err
		}
		if out.DryRun = dry; !dry {
			t, err := b.evaluate(ctx, tx, []string{who.ID}, nil, true)
			if err != nil {
				return err
			}
			out.ReasonsAdded, out.ReasonsEnded = t.added, t.ended
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "identity.policies_evaluated",
				Subject: audit.Subject{Type: "identity", ID: who.ID, Display: who.DisplayName},
				Context: map[string]any{
					"dry_run":       dry,
					"reasons_added": out.ReasonsAdded,
					"reasons_ended": out.ReasonsEnded,
				},
			},
		)
	})
	return out, err
}

// person says what the rules make of somebody, and does nothing.
func (b *book) person(ctx context.Context, tx *pg.Tx, id string) (out PersonEvaluation, err error) {
	out.Matched = []PolicyRef{}
	living, err := reasons(ctx, tx, []string{id}, true)
	if err != nil {
		return out, err
	}
	err = b.eachPerson(ctx, tx, []string{id}, func(p *person) error {
		var changes []change
		if p.gone() {
			for i := range living[id] {
				changes = append(changes, change{identity: id, key: living[id][i].key, reason: &living[id][i]})
			}
		} else {
			found := b.look(p, living[id])
			changes = found.changes
			for _, r := range found.matched {
				if r.of != sourcePolicy {
					continue
				}
				out.Matched = append(
					out.Matched,
					PolicyRef{r.policy.ID, r.policy.Name, r.policy.Mode, r.policy.Birthright},
				)
			}
		}
		a, _ := b.compare(p, living[id], changes)
		out.Impact = a.PersonImpact
		for _, c := range changes {
			if c.add {
				out.ReasonsAdded++
			} else {
				out.ReasonsEnded++
			}
		}
		slices.SortFunc(out.Matched, func(a, b PolicyRef) int { return strings.Compare(a.ID, b.ID) })
		return nil
	})
	return out, err
}
