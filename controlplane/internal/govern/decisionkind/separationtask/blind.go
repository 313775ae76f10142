package separationtask

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// blindPolicies are separation-of-duties policies that can find no violations, because no person can perform one of
// their sides. The task closes when the policy is no longer blind.
func (s *Service) blindPolicies() kind.Kind {
	return kind.Kind{
		Name:    kind.BlindPolicy,
		About:   "separation-of-duties policies that find no violations",
		Subject: "separation_policy",
		Needed:  separationpolicy.BlindSQL,
		Over: `select p.id::text, case when p.deleted_at is not null then 'the policy was deleted'
		            when not p.enabled then 'the policy was disabled'
		            when p.mode = 'draft' then 'the policy is a draft'
		            else 'the policy is no longer blind' end
		         from separation_policy p
		        where p.id = any(@ids::text[]::uuid[])`,
		Within: 7 * kind.Day,
		Ask:    askBlind,
		Answer: answerBlind,
	}
}

// askBlind makes the decision tasks about blind policies.
func askBlind(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	policies, err := separationpolicy.Named(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]decision.New, len(policies))
	for i, p := range policies {
		out[i] = blindQuestion(p)
	}
	return out, nil
}

// blindQuestion is the decision task: which sides no person can perform.
func blindQuestion(p separationpolicy.Policy) decision.New {
	labels := make([]string, len(p.BlindSides))
	for i, side := range p.BlindSides {
		labels[i] = fmt.Sprintf("%q", p.Sides[side].Label)
	}
	ref := decision.Ref{Type: "separation_policy", ID: p.ID, Display: p.Name}
	q := decision.New{
		Key:     p.ID,
		Subject: ref,
		Source:  ref,
		Title:   p.Name + " is blind",
		Summary: fmt.Sprintf("No person can perform %s, because the duties have no access left in a connected system. "+
			"The policy finds no violations. Change the duties or the policy, or disable it.",
			strings.Join(labels, " and ")),
		Context: map[string]any{
			"blind_sides": p.BlindSides,
			"sides":       p.Sides,
			"links":       map[string]string{"policy": httpapi.Prefix + "/policies/separation-of-duties/" + p.ID},
		},
		Actions: []decision.Action{
			{Key: "disable", Label: "Disable policy", Style: "negative", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		Priority:  kind.Priorities[p.Severity],
		RiskLevel: p.Severity,
		GroupKey:  kind.BlindPolicy,
		Links:     []decision.Ref{ref},
	}
	for _, id := range p.OwnerIDs {
		q.Assignees = append(q.Assignees, decision.Assignee{IdentityID: id})
	}
	return q
}

// answerBlind disables the policy.
func answerBlind(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	return separationpolicy.Disable(ctx, tx, a.Task.Key)
}
