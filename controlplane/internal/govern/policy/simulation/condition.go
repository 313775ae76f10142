package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// ConditionProblem is something that a condition cannot be saved with.
type ConditionProblem condition.Problem

// ConditionWarning reports a rule that could not be answered and so counted as false.
type ConditionWarning condition.Warning

// ConditionTrial is a condition to be tried out.
type ConditionTrial struct {
	// Instead of sentence.
	Condition accesspolicy.Subject `json:"condition,omitempty"`
	// A condition in the words of a sentence.
	Sentence string `json:"sentence,omitempty" maxLength:"65536" example:"department is Nursing or Surgery"`
	// People to check against it.
	Sample []string `json:"sample,omitempty" nullable:"false" maxItems:"500" format:"uuid"`
}

// ConditionVerdict is what a trial has found.
type ConditionVerdict struct {
	// Whether the condition can be saved.
	Valid bool `json:"valid"`
	// Why the condition cannot be saved. Empty if it is valid.
	Problems []ConditionProblem `json:"problems" nullable:"false"`
	// What would be stored; null when it is not valid.
	Normal accesspolicy.Subject `json:"normal_form" nullable:"true"`
	// The condition in plain words; empty when it is not valid.
	Sentence string `json:"sentence"`
	// People who have not left.
	People int `json:"people"`
	// Those of them who meet it now.
	Matches int `json:"matches"`
	// The people asked about, or the first 20 who meet it.
	Sample []SampleMatch `json:"sample" nullable:"false"`
	// Rules that could not be answered for some, and counted as false.
	Warnings []TrialWarning `json:"warnings" nullable:"false"`
}

// SampleMatch is a person with the answer.
type SampleMatch struct {
	// ID of the identity.
	IdentityID string `json:"identity_id"`
	// Display name of the person.
	Display string `json:"display"`
	// Department of the person. Empty if there is none.
	Department string `json:"department"`
	// Whether the person meets the condition.
	Matches bool `json:"matches"`
	// Rules that could not be evaluated for the person and counted as false.
	Warnings []ConditionWarning `json:"warnings" nullable:"false"`
}

// TrialWarning is a rule that could not be answered, with for how many.
type TrialWarning struct {
	ConditionWarning
	// Number of people for whom the rule could not be evaluated.
	People int `json:"people"`
}

// mostWarnings are reported of one trial.
const mostWarnings = 50

// Validate tries a condition out on everybody.
func (s *Service) Validate(ctx context.Context, v viewer.Viewer, t ConditionTrial) (out ConditionVerdict, err error) {
	out = ConditionVerdict{Problems: []ConditionProblem{}, Sample: []SampleMatch{}, Warnings: []TrialWarning{}}
	var c condition.Condition
	var problems []condition.Problem
	switch {
	case (t.Condition == nil) == (t.Sentence == ""):
		return out, fault.New(fault.Invalid, "give either condition or sentence").
			With(fault.Field{Pointer: "#/condition", Code: "required", Detail: "one of the two"})
	case t.Sentence != "":
		c, problems = condition.ParseSentence(t.Sentence)
	default:
		raw, err := json.Marshal(t.Condition)
		if err != nil {
			return out, fmt.Errorf("read condition: %w", err)
		}
		c, problems = condition.Parse(raw)
	}
	for _, p := range problems {
		out.Problems = append(out.Problems, ConditionProblem(p))
	}
	if len(problems) > 0 {
		return out, nil
	}
	out.Valid, out.Sentence = true, c.Sentence()
	if out.Normal, err = accesspolicy.Normal(c); err != nil {
		return out, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error { return s.try(ctx, tx, c, t.Sample, &out) })
	return out, err
}

// try evaluates a condition for everyone who has not left, and for the people that were asked
// about. Warnings are counted per kind, up to a limit.
func (s *Service) try(
	ctx context.Context,
	tx *pg.Tx,
	c condition.Condition,
	asked []string,
	out *ConditionVerdict,
) error {
	b, err := evaluation.Make(ctx, tx, nil, nil, s.Now())
	if err != nil {
		return err
	}
	b.Needs = c.Needs()
	wanted, warned := map[string]bool{}, map[condition.Warning]int{}
	for _, id := range asked {
		wanted[id] = true
	}
	look := func(p *evaluation.Person) error {
		if p.Gone() {
			return nil
		}
		met, warnings := c.Match(p)
		out.People++
		if met {
			out.Matches++
		}
		for _, w := range warnings {
			if _, known := warned[w]; known || len(warned) < mostWarnings {
				warned[w]++
			}
		}
		if wanted[p.ID] || len(asked) == 0 && met && len(out.Sample) < sampled {
			m := SampleMatch{p.ID, p.Text("display_name"), p.Text("department"), met, []ConditionWarning{}}
			for _, w := range warnings {
				m.Warnings = append(m.Warnings, ConditionWarning(w))
			}
			out.Sample = append(out.Sample, m)
		}
		return nil
	}
	err = evaluation.EachBatch(ctx, tx, func(ids []string) error { return b.EachPerson(ctx, tx, ids, look) })
	out.warn(warned)
	return err
}

// warn adds the warnings and sorts everything, so that equal data gives equal answers.
func (v *ConditionVerdict) warn(warned map[condition.Warning]int) {
	for w, n := range warned {
		v.Warnings = append(v.Warnings, TrialWarning{ConditionWarning(w), n})
	}
	slices.SortFunc(v.Warnings, func(a, b TrialWarning) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Detail, b.Detail))
	})
	slices.SortFunc(v.Sample, func(a, b SampleMatch) int { return cmp.Compare(a.IdentityID, b.IdentityID) })
}
