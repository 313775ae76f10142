package separationtask

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// violations are open violations of enforced separation-of-duties policies. Those for which a revocation was ordered
// wait for the evaluation that proves it, and no longer for a decision.
func (s *Service) violations() kind.Kind {
	return kind.Kind{
		Name:    kind.SodViolation,
		About:   "violations of separation-of-duties policies",
		Subject: "violation",
		Needed: `select v.id
		           from violation v
		           join separation_policy p on p.id = v.policy_id and p.deleted_at is null and p.enabled
		          where v.state = 'open' and v.remediation is null and p.mode = 'enforce'
		            and (coalesce(p.effects ->> 'on_detect', 'task') = 'task' or ` + leftToPeople + `
		                 or ` + escalated + `)
		            and not ` + heldInstead + `
		            and ` + excepted + ` is null
		            and not exists (select
		                              from mitigation m
		                             where m.identity_id = v.identity_id and m.policy_id = v.policy_id
		                               and m.sides in ('', v.sides) and m.state = 'proposed')`,
		Over: `select v.id::text, case when v.state = 'remediated' then 'the violation is remediated'
		            when v.state = 'mitigated' then 'the violation is mitigated'
		            when v.state = 'open' and exists (select
		                              from mitigation m
		                             where m.identity_id = v.identity_id and m.policy_id = v.policy_id
		                               and m.sides in ('', v.sides) and m.state = 'proposed')
		            then 'a mitigation is proposed'
		            when v.state = 'open' and ` + heldInstead + ` then 'the held provisioning task is decided instead'
		            when v.state = 'open' and ` + excepted + ` is not null then 'an exception was approved'
		            when v.state = 'false_positive' then 'the violation was marked as a false positive'
		            when v.remediation is not null then 'the access is being revoked'
		            else 'the policy is not enforced' end
		         from violation v
		        where v.id = any(@ids::text[]::uuid[])`,
		Within: 3 * kind.Day,
		Ask:    askViolations,
		Answer: s.answerViolation,
	}
}

// excepted is the exception that covers a violation v, or null.
const excepted = `exception_covering(v.identity_id, v.policy_id, v.sides, v.severity, v.entitlement_ids)`

// heldInstead says whether a violation v is of access that a held provisioning task would give: that task is decided
// instead.
const heldInstead = `(v.grade = 'latent' and exists (
		              select
		                from provisioning_task t
		               where t.identity_id = v.identity_id and t.held_at is not null and t.state = 'blocked'
		                 and t.hold -> 'policies' @> jsonb_build_array(jsonb_build_object('id', v.policy_id))))`

// leftToPeople says whether a violation v of a policy p that revokes access by itself needs a decision all the same: no
// access was revoked, or it includes access that is pending.
const leftToPeople = `(p.effects ->> 'on_detect' = 'revoke_lower_risk'
		             and (v.grade = 'latent' or v.automatic_revocation ->> 'outcome' = 'asked'))`

// escalated says whether the mitigation that a violation v had last was escalated when it ended.
const escalated = `exists (select
		                              from mitigation e
		                             where e.identity_id = v.identity_id and e.policy_id = v.policy_id
		                               and e.sides in ('', v.sides) and e.lapse_effect = 'escalated'
		                               and e.ended_at >= v.reopened_at)`

// openViolation is a violation with whom to ask: its assignee, or else the owners of the policy.
type openViolation struct {
	ID         string                         `db:"id"`
	IdentityID string                         `db:"identity_id"`
	Name       string                         `db:"name"`
	Severity   string                         `db:"severity"`
	Conflict   check.SeparationConflict       `db:"conflict"`
	Automatic  *violation.AutomaticRevocation `db:"automatic_revocation"`
	Asked      []string                       `db:"asked"`
	Lapsed     map[string]any                 `db:"lapsed"` // the last mitigation
	Escalated  bool                           `db:"escalated"`
}

// askViolations makes the decision tasks for open violations.
func askViolations(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	const sql = `
		select v.id::text, v.identity_id::text, coalesce(i.display_name, '') as name, v.severity, v.conflict,
		       v.automatic_revocation,
		       array(select distinct o::text
		               from unnest(case when v.assignee_id is not null and not x.escalated then array[v.assignee_id]
		                                else p.owner_ids || v.assignee_id end || m.owner_id
		                           || case when x.escalated
		                                   then array(select g.manager_id from identity g where g.id = any(p.owner_ids))
		                                   else '{}' end) o
		              where o <> v.identity_id) as asked,
		       m.lapsed, x.escalated
		  from violation v
		 cross join lateral (select ` + escalated + ` as escalated) x
		  left join lateral (
		      select case when g.state in ('lapsed', 'expired', 'withdrawn') then g.owner_id end as owner_id,
		             jsonb_build_object('id', g.id, 'control', c.name, 'state', g.state, 'cause', g.ended_reason,
		                                'ended_at', g.ended_at) as lapsed
		        from mitigation g
		        join mitigating_control c on c.id = g.control_id
		       where g.identity_id = v.identity_id
		         and g.policy_id = v.policy_id
		         and g.sides in ('', v.sides)
		         and g.starts_at is not null
		       order by g.id desc
		       limit 1) m on true
		  join separation_policy p on p.id = v.policy_id
		  left join identity i on i.id = v.identity_id
		 where v.id = any(@ids::text[]::uuid[])`
	found, err := kind.ReadFacts[openViolation](ctx, tx, sql, ids)
	out := make([]decision.New, len(found))
	for i, v := range found {
		out[i] = v.question()
	}
	return out, err
}

// question is the decision task: who violates what, and the ways out.
func (v openViolation) question() decision.New {
	person := decision.Ref{Type: "identity", ID: v.IdentityID, Display: v.Name}
	policy := decision.Ref{Type: "separation_policy", ID: v.Conflict.Policy.ID, Display: v.Conflict.Policy.Name}
	q := decision.New{
		Key:     v.ID,
		Subject: decision.Ref{Type: "violation", ID: v.ID, Display: v.Conflict.Policy.Name + ": " + v.Name},
		Source:  policy,
		Title:   v.Name + " violates " + v.Conflict.Policy.Name,
		Summary: v.Conflict.Found(v.Name),
		Context: map[string]any{
			"identity":   person,
			"conflict":   v.Conflict,
			"mitigation": v.Lapsed,
			"links":      map[string]string{"violation": httpapi.Prefix + "/policies/violations/" + v.ID},
		},
		Actions: []decision.Action{
			{
				Key:      "remediate",
				Label:    "Revoke access",
				Style:    "negative",
				Requires: []string{"comment", "inputs.remove"},
			},
			{
				Key:      "mitigate",
				Label:    "Propose a mitigation",
				Style:    "neutral",
				Requires: []string{"comment", "inputs.mitigation_policy_id"},
			},
			{Key: "false_positive", Label: "False positive", Style: "neutral", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		NotFor:    []string{v.IdentityID},
		Priority:  kind.Priorities[v.Severity],
		RiskLevel: v.Severity,
		GroupKey:  kind.SodViolation + "/" + v.Conflict.Policy.ID,
		Links:     []decision.Ref{person, policy},
	}
	if v.Lapsed != nil {
		q.Summary += fmt.Sprintf(" The mitigation %q is %s.", v.Lapsed["control"], v.Lapsed["state"])
	}
	if v.Automatic != nil && v.Automatic.Outcome == violation.Asked {
		q.Summary += " " + v.Automatic.Sentence()
	}
	if v.Escalated {
		q.Title, q.Priority = "Escalated: "+q.Title, "urgent"
		q.Summary += " The decision was escalated."
	}
	for _, id := range v.Asked {
		q.Assignees = append(q.Assignees, decision.Assignee{IdentityID: id})
	}
	return q
}

// answerViolation revokes a cure, proposes a mitigation or marks the violation, as the operations of the API do.
func (s *Service) answerViolation(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	if a.Decision.Action == "false_positive" {
		_, err := violation.Mark(ctx, tx, a.Task.Key, httpapi.IfMatch{}, a.Decision.Comment, s.Now())
		return err
	}
	if a.Decision.Action == "mitigate" {
		in := mitigation.NewMitigation{ViolationID: a.Task.Key, Justification: a.Decision.Comment}
		in.ControlID, _ = a.Decision.Inputs["mitigation_policy_id"].(string)
		in.OwnerID, _ = a.Decision.Inputs["owner_id"].(string)
		in.Duration, _ = a.Decision.Inputs["duration"].(string)
		_, err := mitigation.Propose(ctx, tx, in, s.Now())
		return kind.PointIntoInputs(err)
	}
	given, _ := a.Decision.Inputs["remove"].([]any)
	in := violation.ViolationRemediation{Reason: a.Decision.Comment}
	for _, id := range given {
		text, _ := id.(string)
		in.Remove = append(in.Remove, text)
	}
	if len(in.Remove) == 0 {
		return kind.BadInput("remove", "the IDs of the grants to revoke, as conflict.cures names them")
	}
	var err error
	if in.ExcludeUntil, err = kind.FutureTime(a.Decision.Inputs, "exclude_until", s.Now()); err != nil {
		return err
	}
	_, err = violation.Remediate(ctx, tx, a.Task.Key, httpapi.IfMatch{}, in, false, s.Now())
	return kind.PointIntoInputs(err)
}
