package decisionkind

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// inState is the SQL of the tasks that are in a state, of connectors that there are.
func inState(state string) string {
	return `select t.id
	          from provisioning_task t
	          join connector c on c.tenant_id = t.tenant_id and c.id = t.connector_id
	         where t.state = '` + state + `'
	           and c.deleted_at is null`
}

// taskOver says what has become of a task.
const taskOver = `
	select t.id::text,
	       case when c.deleted_at is not null then 'its system is not connected any more'
	            when t.state in ('done', 'verifying') then 'the change was made'
	            when t.state = 'cancelled' then 'the change was cancelled'
	            when t.state = 'manual' then 'somebody has to make the change by hand'
	            when t.state = 'failed' then 'the change failed'
	            else 'the change is being made again' end
	  from provisioning_task t
	  left join connector c on c.tenant_id = t.tenant_id and c.id = t.connector_id
	 where t.id = any(@ids::text[]::uuid[])`

// manualTasks are changes that a person has to make in a target.
func (s *Service) manualTasks() kind.Kind {
	return kind.Kind{
		Name:    kind.ManualProvisioning,
		About:   "manual provisioning tasks",
		Subject: "provisioning_task",
		Needed:  inState(task.Manual),
		Over:    taskOver,
		Within:  3 * kind.Day,
		Ask:     askByHand,
		Answer:  s.answerChange,
	}
}

// failedTasks are changes that a target has refused for good, and the disabling of leavers' accounts that has not got
// through for hours.
func (s *Service) failedTasks() kind.Kind {
	needed := inState(task.Failed) + `
	         union all
	        select t.id
	          from provisioning_task t
	          join connector c on c.tenant_id = t.tenant_id and c.id = t.connector_id
	         where t.escalated_at is not null
	           and t.state in ('queued', 'retrying')
	           and c.deleted_at is null`
	return kind.Kind{
		Name:    kind.ProvisioningFailure,
		About:   "failed provisioning tasks",
		Subject: "provisioning_task",
		Needed:  needed,
		Over:    taskOver,
		Within:  3 * kind.Day,
		Ask:     askFailures,
		Answer:  s.answerChange,
	}
}

// askByHand makes the decision tasks for changes that a person has to make. Those of one connector,
// operation and entitlement are a group and can be completed together.
func askByHand(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	told, err := taskview.Tell(ctx, tx, ids)
	out := make([]decision.New, len(told))
	for i, t := range told {
		q := change(t)
		q.Title, q.Summary = "To be done by hand: "+inWords(t), t.ByHand
		q.Context["what_to_do"] = t.ByHand
		q.Actions = []decision.Action{
			{Key: "done", Label: "It is done", Style: "positive", Requires: []string{"comment"}},
			{Key: "cannot", Label: "It cannot be done", Style: "negative", Requires: []string{"comment"}},
		}
		q.GroupKey = strings.Join(
			[]string{kind.ManualProvisioning, t.ConnectorID, t.Operation, kind.TextOf(t.EntitlementID)},
			"/",
		)
		out[i] = q
	}
	return out, err
}

// askFailures makes the decision tasks for failed changes. One that is still tried, because the
// account of a person who left can still be used, is urgent.
func askFailures(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	told, err := taskview.Tell(ctx, tx, ids)
	out := make([]decision.New, len(told))
	for i, t := range told {
		code, message, advice := "unknown", "the target gave no reason", kind.TextOf(t.Advice)
		if t.Error != nil {
			code, message = t.Error.Code, t.Error.Message
		}
		q := change(t)
		q.Title = "Failed: " + inWords(t)
		if t.State != task.Failed {
			q.Title, q.Priority = "Still not done: "+inWords(t), "urgent"
			advice = strings.TrimSpace(
				"The account of a person who left can still be used. The change is tried until it gets through. " +
					advice,
			)
		}
		q.Summary = strings.TrimSpace(
			fmt.Sprintf("%s (%s) after %s. %s", message, code, kind.CountOf(int64(t.AttemptCount), "attempt"), advice),
		)
		q.Context["error"], q.Context["error_class"], q.Context["advice"], q.Context["attempts"],
			q.Context["by_hand"] = t.Error, t.ErrorClass, advice, t.AttemptCount, t.ByHand
		q.Actions = []decision.Action{
			{Key: "retry", Label: "Try again", Style: "positive", Requires: []string{}},
			{Key: "done", Label: "It was done by hand", Style: "neutral", Requires: []string{"comment"}},
			{Key: "cancel", Label: "Give it up", Style: "negative", Requires: []string{}},
		}
		q.GroupKey = strings.Join([]string{kind.ProvisioningFailure, t.ConnectorID, t.Operation, code}, "/")
		out[i] = q
	}
	return out, err
}

// change is what both have in common.
func change(t taskview.Instruction) decision.New {
	self := httpapi.Prefix + "/accounts/provisioning-tasks/" + t.ID
	q := decision.New{
		Key:     t.ID,
		Subject: decision.Ref{Type: "provisioning_task", ID: t.ID},
		Source:  decision.Ref{Type: "provisioning_task", ID: t.ID},
		Context: map[string]any{
			"operation":    t.Operation,
			"connector":    t.Connector,
			"identity":     t.Identity,
			"account":      t.Account,
			"entitlement":  t.Entitlement,
			"payload":      t.Payload,
			"created_from": t.CreatedFrom,
			"reason_refs":  t.ReasonRefs,
			"lane":         t.Lane,
			"links":        map[string]string{"task": self},
		},
		Roles:     kind.Admins,
		Priority:  "normal",
		RiskLevel: "medium",
	}
	for _, r := range []struct {
		kind string
		ref  *identity.Reference
	}{{"connector", t.Connector}, {"entitlement", t.Entitlement}, {"account", t.Account}, {"identity", t.Identity}} {
		if r.ref != nil {
			ref := decision.Ref{Type: r.kind, ID: r.ref.ID, Display: r.ref.Display}
			q.Links = append(q.Links, ref)
			if r.kind != "connector" && r.kind != "entitlement" {
				q.Subject = ref // whom it concerns, or what of theirs
			}
		}
	}
	if takesAway(t.Operation) {
		q.RiskLevel = "high" // the person still has what they should not
	}
	if t.Lane == task.Urgent {
		q.Priority = "urgent"
	}
	return q
}

// takesAway says whether an operation takes access away.
func takesAway(operation string) bool {
	return operation == task.Disable || operation == task.DeleteAccount || operation == task.Revoke
}

// inWords is a change in words.
func inWords(t taskview.Instruction) string {
	who, system := "somebody", "a target system"
	for _, r := range []*identity.Reference{t.Account, t.Identity} {
		if r != nil && r.Display != "" {
			who = r.Display
		}
	}
	if t.Connector != nil {
		system = t.Connector.Display
	}
	what := map[string]string{
		task.CreateAccount: "an account for %s", task.UpdateAccount: "a change of the account of %s",
		task.RenameAccount: "another name for the account of %s",
		task.Enable:        "enable the account of %s", task.Disable: "disable the account of %s",
		task.DeleteAccount: "delete the account of %s",
		task.Unlock:        "unlock the account of %s", task.SetPassword: "a new password for %s",
	}[t.Operation]
	if t.Entitlement != nil && t.Operation == task.Grant {
		what = t.Entitlement.Display + " for %s"
	}
	if t.Entitlement != nil && t.Operation == task.Revoke {
		what = "take " + t.Entitlement.Display + " from %s"
	}
	if what == "" {
		what = strings.ReplaceAll(t.Operation, "_", " ") + " for %s"
	}
	return strings.Replace(what, "%s", who, 1) + " in " + system
}

// answerChange carries a decision about a change out: it was done by hand, try it again, or cancel
// it.
func (s *Service) answerChange(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	switch a.Decision.Action {
	case "done":
		return s.Changes.Complete(ctx, tx, a.Task.Key, httpapi.IfMatch{}, a.Decision.Comment)
	case "retry":
		return order.Retry(ctx, tx, a.Task.Key, httpapi.IfMatch{})
	}
	return order.Cancel(ctx, tx, a.Task.Key, httpapi.IfMatch{})
}
