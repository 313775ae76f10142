package simulation

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// PersonEvaluation is what the policies say of one person.
type PersonEvaluation struct {
	// Whether the evaluation was a dry run, which changes nothing.
	DryRun bool `json:"dry_run"`
	// The policies that are about them, shadow ones too.
	Matched []PolicyRef `json:"matched" nullable:"false"`
	// What they gain and lose by it.
	Impact impact.PersonImpact `json:"impact"`
	// The number of reasons that were added, or would be in a dry run.
	ReasonsAdded int `json:"reasons_added"`
	// The number of reasons that ended, or would end in a dry run.
	ReasonsEnded int `json:"reasons_ended"`
}

// PolicyRef names a policy.
type PolicyRef struct {
	// ID of the policy.
	ID string `json:"id"`
	// Display name of the policy.
	Display string `json:"display"`
	// Mode of the policy. In shadow it is evaluated and changes nothing. In enforce it changes access.
	Mode string `json:"mode" enum:"shadow,enforce"`
	// Whether the policy is a birthright policy.
	Birthright bool `json:"birthright"`
	// Numbers of the rows of the decision table that apply to the person, counted from 1. Empty without a table.
	Rows []int `json:"rows" nullable:"false"`
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
		if err := queue.Lock(ctx, tx, evaluation.QueueGroup); err != nil {
			return err
		}
		b, err := evaluation.Load(ctx, tx, s.Now())
		if err != nil {
			return err
		}
		if out, err = evaluateOne(ctx, tx, b, who.ID); err != nil {
			return err
		}
		if out.DryRun = dry; !dry {
			t, err := b.Evaluate(ctx, tx, []string{who.ID}, nil, true)
			if err != nil {
				return err
			}
			out.ReasonsAdded, out.ReasonsEnded = t.Added, t.Ended
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

// evaluateOne says what the rules would do to a person, and writes nothing.
func evaluateOne(ctx context.Context, tx *pg.Tx, b *evaluation.Rulebook, id string) (out PersonEvaluation, err error) {
	out.Matched = []PolicyRef{}
	living, err := evaluation.ReadReasons(ctx, tx, []string{id}, true)
	if err != nil {
		return out, err
	}
	err = b.EachPerson(ctx, tx, []string{id}, func(p *evaluation.Person) error {
		var changes []evaluation.Change
		var kept []impact.GrantShift
		if p.Gone() {
			for i := range living[id] {
				changes = append(
					changes,
					evaluation.Change{Identity: id, Key: living[id][i].Key, Reason: &living[id][i]},
				)
			}
		} else {
			found := b.Diff(p, living[id])
			changes, kept = found.Changes, toReview(found.Reviews)
			for _, r := range found.Matched {
				if r.Source != evaluation.SourcePolicy {
					continue
				}
				ref := PolicyRef{r.Policy.ID, r.Policy.Name, r.Policy.Mode, r.Policy.Birthright, []int{}}
				for _, row := range r.Rows(p) {
					ref.Rows = append(ref.Rows, row+1)
				}
				out.Matched = append(out.Matched, ref)
			}
		}
		a, _ := compare(p, living[id], changes)
		out.Impact = a.PersonImpact
		out.Impact.ToReview = kept
		for _, c := range changes {
			if c.Add {
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
