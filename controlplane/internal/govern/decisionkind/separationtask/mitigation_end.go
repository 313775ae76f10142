package separationtask

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// mitigationEnds are mitigations that end soon, without a renewal that is proposed.
func (s *Service) mitigationEnds() kind.Kind {
	return kind.Kind{
		Name:    kind.MitigationEnd,
		About:   "mitigations that end soon",
		Subject: "mitigation",
		Needed: `select m.id
		           from mitigation m
		          where mitigating(m.state) and m.end_told_at is not null and m.end_agreed_at is null
		            and not exists (select
		                              from mitigation p
		                             where p.identity_id = m.identity_id and p.policy_id = m.policy_id
		                               and p.sides = m.sides and p.state = 'proposed')`,
		Over: `select m.id::text, case when not mitigating(m.state) then 'the mitigation is ' || m.state
		            when m.end_agreed_at is not null then 'the mitigation ends without a renewal'
		            else 'a renewal is proposed' end
		         from mitigation m
		        where m.id = any(@ids::text[]::uuid[])`,
		Ask:    askEnds,
		Answer: s.answerEnd,
	}
}

func askEnds(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := kind.ReadFacts[mitigationFacts](ctx, tx, mitigationSQL("m.id", noEvidence, "mitigation m"), ids)
	out := make([]decision.New, len(found))
	for i, f := range found {
		q := f.question(kind.MitigationEnd)
		q.Title = fmt.Sprintf("Mitigation of %s by %s ends soon", f.Policy, f.Person)
		q.Summary = fmt.Sprintf(
			"The control %q compensates for the violation of %q by %s. ",
			f.Control,
			f.Policy,
			f.Person,
		)
		if f.EndsAt != nil {
			q.Summary += fmt.Sprintf("The mitigation ends on %s. Then the violation is open again%s.",
				decision.FormatTime(*f.EndsAt), afterwards[f.OnLapse])
		}
		q.DueAt = f.EndsAt
		q.Actions = []decision.Action{
			{Key: "renew", Label: "Propose a renewal", Style: "positive", Requires: []string{"comment"}},
			{Key: "let_end", Label: "Let it end", Style: "neutral", Requires: []string{}},
		}
		kind.Assign(&q, f.OwnerID)
		kind.Assign(&q, f.PolicyOwners...)
		out[i] = q
	}
	return out, err
}

// afterwards says what on_lapse of a control does when a mitigation ends.
var afterwards = map[string]string{
	"revoke":   ", and access is revoked",
	"escalate": ", and its decision is urgent",
}

func (s *Service) answerEnd(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	if a.Decision.Action == "let_end" {
		return mitigation.AgreeToEnd(ctx, tx, a.Task.Key, a.Decision.Comment, s.Now())
	}
	duration, _ := a.Decision.Inputs["duration"].(string)
	_, err := mitigation.Renew(ctx, tx, a.Task.Key, duration, a.Decision.Comment, s.Now())
	return kind.PointIntoInputs(err)
}
