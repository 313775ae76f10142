package decisionkind

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// orphans are accounts that can be used and whose owner is gone, or was never found. Those that rules cannot decide
// about are disputes, and those that are being disabled or deleted are left to that.
func (s *Service) orphans() kind.Kind {
	return kind.Kind{
		Name:    kind.OrphanAccount,
		About:   "orphan accounts",
		Subject: "account",
		Needed: `select a.id from ` + account.Orphans + `
		            and a.correlation_state <> 'disputed'
		            and not exists (select from provisioning_task t
		                             where t.account_id = a.id
		                               and t.operation in ('disable', 'delete_account')
		                               and t.mode <> 'simulate'
		                               and t.state in ('queued', 'blocked', 'running', 'retrying', 'verifying',
		                                   'failed', 'manual'))
		            and not exists (select from decision_kept k
		                             where k.tenant_id = a.tenant_id
		                               and k.kind = '` + kind.OrphanAccount + `'
		                               and k.source_id = a.id
		                               and k.about = coalesce(a.identity_id::text, '')
		                               and (k.until is null or k.until > now()))`,
		Over: `select a.id::text,
		              case when a.status not in ('active', 'locked',
		                  'missing') then 'the account cannot be used any more: it is ' || a.status
		                   when a.correlation_state = 'ignored' then 'somebody accepts the account without an owner'
		                   when a.correlation_state = 'disputed' then 'rules have found several who may own the account'
		                   when i.status not in ('deactivated',
		                       'archived') then 'the account has an owner: ' || i.display_name
		                   when exists (select from decision_kept k where k.tenant_id = a.tenant_id
		                       and k.kind = '` + kind.OrphanAccount + `' and k.source_id = a.id)
		                       then 'the account is kept as it is'
		                   else 'the account is about to be disabled or deleted' end
		         from account a
		         left join identity i on i.id = a.identity_id
		        where a.id = any(@ids::text[]::uuid[])`,
		Within: 14 * kind.Day, Ask: askOrphans, Answer: s.answerOrphan,
	}
}

// askOrphans makes the decision tasks for orphan accounts. Which connectors cannot disable or delete
// accounts, and why, is looked up once for all of them.
func askOrphans(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := kind.ReadFacts[accountFacts](ctx, tx, accountFactsSQL, ids)
	if err != nil {
		return nil, err
	}
	connectors := make([]string, len(found))
	for i, a := range found {
		connectors[i] = a.ConnectorID
	}
	cannot := map[string]map[string]string{}
	for _, operation := range []string{task.Disable, task.DeleteAccount} {
		if cannot[operation], err = order.Refusals(ctx, tx, connectors, operation); err != nil {
			return nil, err
		}
	}
	out := make([]decision.New, len(found))
	for i, a := range found {
		out[i] = a.orphan(cannot)
	}
	return out, nil
}

// orphan asks what becomes of an account.
func (a accountFacts) orphan(cannot map[string]map[string]string) decision.New {
	reason := ""
	if a.Reason != nil {
		reason = *a.Reason
	}
	since, who := a.Unowned, a.Previous
	if a.Owner != nil {
		who = a.Owner
	}
	if a.Owner != nil && a.OwnerLeft != nil {
		since = *a.OwnerLeft
	}
	q := decision.New{
		Key:     a.ID,
		Subject: a.ref(),
		Source:  a.connector(),
		Title:   fmt.Sprintf("The account %s of %s has no active owner", a.Name, a.Connector),
		Summary: a.story(reason, who, since),
		Context: map[string]any{
			"account":   a,
			"connector": a.connector(),
			"reason":    reason,
			"owner":     who,
			"since":     since.UTC(),
			"cannot":    a.blocked(cannot),
			"links":     a.links(),
		},
		Actions:   a.remedies(cannot),
		Roles:     kind.Admins,
		Priority:  "normal",
		RiskLevel: a.risk(),
		GroupKey:  kind.OrphanAccount + "/" + a.ConnectorID + "/" + reason,
		Links:     []decision.Ref{a.ref(), a.connector()},
	}
	if who != nil {
		q.Links = append(q.Links, decision.Ref{Type: "identity", ID: who.ID, Display: who.Display})
	}
	return q
}

// story returns how the account came to be without an active owner.
func (a accountFacts) story(reason string, who *identity.Reference, since time.Time) string {
	text := map[string]string{
		"owner_deactivated": "has left", "owner_archived": "has left, and was archived",
	}[reason]
	on := since.UTC().Format("2006-01-02")
	switch {
	case text != "" && who != nil:
		text = fmt.Sprintf(
			"It belonged to %s, who %s. It has had no owner since %s, and can still be used.",
			who.Display,
			text,
			on,
		)
	case reason == "owner_unresolved":
		text = "Its system names an owner that matches no identity. It can be used, and has had no owner since " + on +
			"."
	default:
		text = "No owner was found. It can be used, and has had no owner since " + on + "."
	}
	if a.LastLogin != nil {
		return text + " The last sign-in with it was on " + a.LastLogin.UTC().Format("2006-01-02") + "."
	}
	return text + " The time of the last sign-in with it is unknown."
}

// blocked says why what could be done about an account cannot be done through its connector.
func (a accountFacts) blocked(cannot map[string]map[string]string) map[string]string {
	out := map[string]string{}
	for operation, why := range cannot {
		switch {
		case a.Managed == "protected":
			out[operation] = "the account is protected: nothing is ever written to it"
		case why[a.ConnectorID] != "":
			out[operation] = why[a.ConnectorID]
		case a.Status == "missing":
			out[operation] = "the last reading of its system did not find the account"
		}
	}
	return out
}

// remedies are what can be done about an orphan.
func (a accountFacts) remedies(cannot map[string]map[string]string) []decision.Action {
	blocked := a.blocked(cannot)
	list := []decision.Action{linking}
	if blocked[task.Disable] == "" {
		list = append(
			list,
			decision.Action{Key: "disable", Label: "Disable the account", Style: "negative", Requires: []string{}},
		)
	}
	if blocked[task.DeleteAccount] == "" {
		list = append(
			list,
			decision.Action{
				Key:      "delete",
				Label:    "Delete the account",
				Style:    "negative",
				Requires: []string{"comment"},
			},
		)
	}
	return append(
		list,
		decision.Action{Key: "keep", Label: "Keep it as it is", Style: "neutral", Requires: []string{"comment"}},
	)
}

// answerOrphan carries a decision about an orphan account out: assign an owner, disable, delete, or
// keep it. Disabling and deleting become provisioning tasks that refer to the decision.
func (s *Service) answerOrphan(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	change := order.Order{
		AccountID: a.Task.Key,
		Note:      a.Decision.Comment,
		Refs:      []task.Ref{{Type: "decision_task", ID: a.Task.ID}},
	}
	switch a.Decision.Action {
	case "link":
		return s.link(ctx, tx, a)
	case "disable":
		change.Operation = task.Disable
	case "delete":
		change.Operation = task.DeleteAccount
	default:
		return s.keepOrphan(ctx, tx, a)
	}
	_, err := s.Changes.Accept(ctx, tx, change)
	return err
}

// keepOrphan leaves an account as it is. One that has no owner, and is to be so for good, is ignored, as POST
// /accounts/{id}/ignore has it; else nobody is asked again until the time has come, or it has another owner.
func (s *Service) keepOrphan(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	until, err := kind.FutureTime(a.Decision.Inputs, "until", s.Now())
	if err != nil {
		return err
	}
	before, err := account.Lock(ctx, tx, a.Task.Key)
	if err != nil {
		return err
	}
	if until == nil && before.IdentityID == nil {
		_, err := account.Ignore(ctx, tx, a.Task.Key, httpapi.IfMatch{}, kind.Reason(a), s.Now())
		return err
	}
	about := ""
	if before.IdentityID != nil {
		about = *before.IdentityID
	}
	if err := kind.Keep(ctx, tx, kind.OrphanAccount, a, about, until); err != nil {
		return err
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "account.kept",
			Subject: audit.Subject(a.Task.Subject),
			Reason:  a.Decision.Comment,
			Context: map[string]any{"until": until},
		},
	)
}
