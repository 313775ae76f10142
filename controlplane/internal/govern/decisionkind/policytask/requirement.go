package policytask

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// requirementGaps are what people lack that enforced access policies require. The task closes when nothing is missing.
func (s *Service) requirementGaps() kind.Kind {
	return kind.Kind{
		Name:    kind.RequirementGap,
		About:   "access and training that people lack",
		Subject: "requirement_gap",
		Needed:  `select g.id from requirement_gap g where g.state = 'open'`,
		Over: `select g.id::text, case when g.state = 'exempted' then 'the person is exempted for a time'
		            when g.resolution = 'satisfied' then 'the person has what was missing'
		            else 'the policy no longer requires it of the person' end
		         from requirement_gap g
		        where g.id = any(@ids::text[]::uuid[])`,
		Within: 14 * kind.Day,
		Ask:    askRequirementGaps,
		Answer: s.answerRequirementGap,
	}
}

// openGap is a requirement gap with whom to ask: the manager of the person, or else the owners of the policy.
type openGap struct {
	ID         string                   `db:"id"`
	IdentityID string                   `db:"identity_id"`
	Name       string                   `db:"name"`
	PolicyID   string                   `db:"policy_id"`
	Policy     string                   `db:"policy"`
	Missing    []constraint.MissingItem `db:"missing"`
	Asked      []string                 `db:"asked"`
}

// askRequirementGaps makes the decision tasks for open gaps.
func askRequirementGaps(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	const sql = `
		select g.id::text, g.identity_id::text, coalesce(i.display_name, '') as name, g.policy_id::text,
		       coalesce(p.name, '') as policy, g.missing,
		       case when i.manager_id is not null and unable_to_decide(i.manager_id) = '' then array[i.manager_id::text]
		            else coalesce(p.owner_ids::text[], '{}') end as asked
		  from requirement_gap g
		  left join access_policy p on p.id = g.policy_id
		  left join identity i on i.id = g.identity_id
		 where g.id = any(@ids::text[]::uuid[])`
	found, err := kind.ReadFacts[openGap](ctx, tx, sql, ids)
	out := make([]decision.New, len(found))
	for i, g := range found {
		out[i] = g.question()
	}
	return out, err
}

// question is the decision task: what the person lacks, and the exemption.
func (g openGap) question() decision.New {
	person := decision.Ref{Type: "identity", ID: g.IdentityID, Display: g.Name}
	policy := decision.Ref{Type: "policy", ID: g.PolicyID, Display: g.Policy}
	names := make([]string, len(g.Missing))
	for i, m := range g.Missing {
		names[i] = m.Display
	}
	q := decision.New{
		Key:     g.ID,
		Subject: decision.Ref{Type: "requirement_gap", ID: g.ID, Display: g.Policy + ": " + g.Name},
		Source:  policy,
		Title:   g.Name + " lacks " + kind.Brief(names),
		Summary: fmt.Sprintf(
			"The policy %q requires it. Request or assign what is missing, or exempt the person for a "+
				"limited time. The task closes when nothing is missing. No access is taken away.",
			g.Policy,
		),
		Context: map[string]any{
			"identity": person,
			"policy":   policy,
			"missing":  g.Missing,
			"links": map[string]string{
				"requirement_gap": httpapi.Prefix + "/policies/requirement-gaps/" + g.ID,
				"policy":          httpapi.Prefix + "/policies/access-grant/" + g.PolicyID,
			},
		},
		Actions: []decision.Action{
			{Key: "exempt", Label: "Exempt until", Style: "neutral", Requires: []string{"comment", "inputs.until"}},
		},
		Roles:     kind.Admins,
		NotFor:    []string{g.IdentityID},
		Priority:  "normal",
		RiskLevel: "medium",
		GroupKey:  kind.RequirementGap + "/" + g.PolicyID,
		Links:     []decision.Ref{person, policy},
	}
	kind.Assign(&q, g.Asked...)
	return q
}

// answerRequirementGap exempts the person, as the operation of the API does.
func (s *Service) answerRequirementGap(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	until, err := kind.FutureTime(a.Decision.Inputs, "until", s.Now())
	if err != nil {
		return err
	}
	if until == nil {
		return kind.BadInput("until", "the end of the exemption, such as 2030-12-31")
	}
	in := requirement.NewGapExemption{Reason: kind.Reason(a), Until: *until}
	_, err = requirement.Accept(ctx, tx, a.Task.Key, httpapi.IfMatch{}, in, s.Now())
	return kind.PointIntoInputs(err)
}
