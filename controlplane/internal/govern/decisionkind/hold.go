package decisionkind

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/taskcheck"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/order"
)

// heldTasks are grants that separation-of-duties policies hold before they are made.
func (s *Service) heldTasks() kind.Kind {
	return kind.Kind{
		Name:    kind.ProvisioningHold,
		About:   "access that a separation-of-duties policy holds before it is provisioned",
		Subject: "provisioning_task",
		Needed: `select t.id
		           from provisioning_task t
		           join connector c on c.tenant_id = t.tenant_id and c.id = t.connector_id
		          where t.held_at is not null and t.state = 'blocked' and c.deleted_at is null`,
		Over:   taskOver,
		Within: 3 * kind.Day,
		Ask:    askHolds,
		Answer: s.answerHold,
	}
}

// heldTask is a held grant with whom to ask: the owners of the policies that hold it.
type heldTask struct {
	ID         string            `db:"id"`
	IdentityID string            `db:"identity_id"`
	Name       string            `db:"name"`
	Access     string            `db:"access"`
	Connector  string            `db:"connector"`
	Severity   string            `db:"severity"`
	Details    taskcheck.Details `db:"details"`
	Asked      []string          `db:"asked"`
}

// askHolds makes the decision tasks for held grants.
func askHolds(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	const sql = `
		select t.id::text, t.identity_id::text, coalesce(i.display_name, '') as name,
		       coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id, '') as access,
		       coalesce(c.name, '') as connector, coalesce(p.severity, 'medium') as severity,
		       t.hold -> 'details' as details,
		       coalesce(p.asked, '{}') as asked
		  from provisioning_task t
		  left join identity i on i.id = t.identity_id
		  left join entitlement e on e.id = t.entitlement_id
		  left join connector c on c.id = t.connector_id
		 cross join lateral (
		    select (array['low', 'medium', 'high', 'critical'])[max(array_position(
		               array['low', 'medium', 'high', 'critical'], p.severity))] as severity,
		           array_agg(distinct o.id::text) filter (where o.id <> t.identity_id) as asked
		      from jsonb_array_elements(t.hold -> 'policies') h (policy)
		      join separation_policy p on p.id = (h.policy ->> 'id')::uuid
		      left join lateral unnest(p.owner_ids) o (id) on true) p
		 where t.id = any(@ids::text[]::uuid[])`
	found, err := kind.ReadFacts[heldTask](ctx, tx, sql, ids)
	out := make([]decision.New, len(found))
	for i, t := range found {
		out[i] = t.question()
	}
	return out, err
}

// question is the decision task: who would violate what, and the ways out.
func (t heldTask) question() decision.New {
	person := decision.Ref{Type: "identity", ID: t.IdentityID, Display: t.Name}
	change := decision.Ref{Type: "provisioning_task", ID: t.ID, Display: t.Access + " in " + t.Connector}
	q := decision.New{
		Key:     t.ID,
		Subject: change,
		Title:   t.Access + " for " + t.Name + " is on hold",
		Context: map[string]any{
			"identity":   person,
			"violations": t.Details.Violations,
			"links": map[string]string{
				"provisioning_task": httpapi.Prefix + "/accounts/provisioning-tasks/" + t.ID,
			},
		},
		Actions: []decision.Action{
			{Key: "allow", Label: "Allow", Style: "neutral", Requires: []string{"comment"}},
			{Key: "refuse", Label: "Refuse", Style: "negative", Requires: []string{"comment"}},
		},
		Roles:     kind.Admins,
		NotFor:    []string{t.IdentityID},
		Priority:  kind.Priorities[t.Severity],
		RiskLevel: t.Severity,
		GroupKey:  kind.ProvisioningHold,
		Links:     []decision.Ref{person},
	}
	for i, c := range t.Details.Violations {
		policy := decision.Ref{Type: "separation_policy", ID: c.Policy.ID, Display: c.Policy.Name}
		if q.Links = append(q.Links, policy); i == 0 {
			q.Source, q.Summary, q.GroupKey = policy, c.Sentence(t.Name), kind.ProvisioningHold+"/"+policy.ID
		}
	}
	for _, id := range t.Asked {
		q.Assignees = append(q.Assignees, decision.Assignee{IdentityID: id})
	}
	return q
}

// answerHold lets the grant be made although it violates the policies, or ends the access.
func (s *Service) answerHold(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	if a.Decision.Action == "allow" {
		return taskstore.Override(ctx, tx, a.Task.Key, kind.Reason(a))
	}
	until, err := kind.FutureTime(a.Decision.Inputs, "exclude_until", s.Now())
	if err != nil {
		return err
	}
	const sql = `select coalesce(t.grant_id::text, '') from provisioning_task t where t.id = $1`
	grant, err := pg.One[string](ctx, tx, "find held grant", sql, a.Task.Key)
	if err != nil {
		return err
	}
	if grant == "" {
		return fault.Coded(fault.Conflict, "not_a_grant", "The task has no grant. Cancel the provisioning task.")
	}
	o := order.GrantRevocation{Reason: kind.Reason(a), ExcludeUntil: until}
	_, err = order.Revoke(ctx, tx, grant, o, false, s.Now())
	return kind.PointIntoInputs(err)
}
