package policytask

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/review"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// policyReviews are access that policies no longer give, and that is kept until a decision. The task closes when the
// person meets the policy again.
func (s *Service) policyReviews() kind.Kind {
	return kind.Kind{
		Name:    kind.LifecycleException,
		About:   "access that no longer follows from a policy",
		Subject: "policy_review",
		Needed:  `select r.id from policy_review r where r.state = 'open'`,
		Over: `select r.id::text, case when r.decision is not null then 'it was decided'
		            else 'the person meets the policy again, or no longer has the access' end
		         from policy_review r
		        where r.id = any(@ids::text[]::uuid[])`,
		Within: 14 * kind.Day,
		Ask:    askPolicyReviews,
		Answer: s.answerPolicyReview,
	}
}

// openReview is a review with whom to ask: the manager of the person, or else the owners of the policy.
type openReview struct {
	ID         string   `db:"id"`
	IdentityID string   `db:"identity_id"`
	Name       string   `db:"name"`
	PolicyID   string   `db:"policy_id"`
	Policy     string   `db:"policy"`
	Access     []string `db:"access"`
	Asked      []string `db:"asked"`
}

// askPolicyReviews makes the decision tasks for open reviews.
func askPolicyReviews(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	const sql = `
		select r.id::text, r.identity_id::text, coalesce(i.display_name, '') as name, r.policy_id::text,
		       coalesce(p.name, '') as policy,
		       array(select distinct coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id,
		                                      'an account in ' || c.name)
		               from access_reason x
		               join connector c on c.id = x.connector_id
		               left join entitlement e on e.id = x.entitlement_id
		              where x.id = any(r.reason_ids)
		              order by 1) as access,
		       case when i.manager_id is not null and unable_to_decide(i.manager_id) = '' then array[i.manager_id::text]
		            else coalesce(p.owner_ids::text[], '{}') end as asked
		  from policy_review r
		  left join access_policy p on p.id = r.policy_id
		  left join identity i on i.id = r.identity_id
		 where r.id = any(@ids::text[]::uuid[])`
	found, err := kind.ReadFacts[openReview](ctx, tx, sql, ids)
	out := make([]decision.New, len(found))
	for i, r := range found {
		out[i] = r.question()
	}
	return out, err
}

// question is the decision task: what the person has, and whether it stays.
func (r openReview) question() decision.New {
	person := decision.Ref{Type: "identity", ID: r.IdentityID, Display: r.Name}
	policy := decision.Ref{Type: "policy", ID: r.PolicyID, Display: r.Policy}
	q := decision.New{
		Key:     r.ID,
		Subject: decision.Ref{Type: "policy_review", ID: r.ID, Display: r.Policy + ": " + r.Name},
		Source:  policy,
		Title:   r.Name + " no longer meets " + r.Policy,
		Summary: fmt.Sprintf(
			"The policy gave %s. The access stays until you end it, or keep it until a date. The task "+
				"closes when the person meets the policy again.",
			kind.Brief(r.Access),
		),
		Context: map[string]any{
			"identity": person,
			"policy":   policy,
			"access":   r.Access,
			"links":    map[string]string{"policy": httpapi.Prefix + "/policies/access-grant/" + r.PolicyID},
		},
		Actions: []decision.Action{
			{Key: "end", Label: "End access", Style: "negative", Requires: []string{"comment"}},
			{Key: "extend", Label: "Keep until", Style: "neutral", Requires: []string{"comment", "inputs.until"}},
		},
		Roles:     kind.Admins,
		NotFor:    []string{r.IdentityID},
		Priority:  "normal",
		RiskLevel: "medium",
		GroupKey:  kind.LifecycleException + "/" + r.PolicyID,
		Links:     []decision.Ref{person, policy},
	}
	kind.Assign(&q, r.Asked...)
	return q
}

// answerPolicyReview ends the access, at once or on a date.
func (s *Service) answerPolicyReview(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	until, err := kind.FutureTime(a.Decision.Inputs, "until", s.Now())
	switch {
	case err != nil:
		return err
	case a.Decision.Action == "end":
		until = nil
	case until == nil:
		return kind.BadInput("until", "the day until which the access is kept, such as 2030-12-31")
	}
	return review.Decide(ctx, tx, a.Task.Key, until, kind.Reason(a), s.Now())
}
