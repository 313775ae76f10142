package decisionkind

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// bounces are addresses that a mail server rejected. Their owners receive no notifications until the address is
// corrected.
func bounces() kind.Kind {
	return kind.Kind{
		Name:  kind.MailBounce,
		About: "rejected mail addresses",
		Needed: `select r.id from rejected_addresses() r join mail_message m
			on m.tenant_id = current_tenant() and m.id = r.message_id and m.person_id is not null`,
		Over: `select b.id::text, case when b.kept_at is not null then 'an administrator has decided'
		            else 'no active person has the address any more' end
		         from mail_bounce b
		        where b.id = any(@ids::text[]::uuid[])
		        union all
		       select o.id::text, 'the mark of the address was removed'
		         from unnest(@ids::text[]::uuid[]) o (id)
		        where not exists (select from mail_bounce b where b.id = o.id)`,
		Within: 7 * kind.Day, Bulk: true, Ask: askBounces, Answer: answerBounce,
	}
}

// askBounces makes the decision tasks about rejected addresses. The address itself is in the delivery log alone, which
// forgets it when the person is deleted.
func askBounces(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error) {
	found, err := message.Bounces(ctx, tx, ids)
	out := make([]decision.New, len(found))
	for i, b := range found {
		ref := decision.Ref{Type: b.Type, ID: b.Person, Display: b.Name}
		out[i] = decision.New{
			Key:     b.ID,
			Subject: ref,
			Source:  ref,
			Title:   "The mail address of " + b.Name + " was rejected",
			Summary: fmt.Sprintf("The mail server rejected the recipient of %q for good (%d). Nothing more is sent to "+
				"the address. Correct the address of the person, or try it again.", b.Subject, b.Code),
			Context: map[string]any{
				"reply_code": b.Code,
				"links": map[string]string{
					"delivery": httpapi.Prefix + "/settings/notifications/deliveries/" + b.Message,
				},
			},
			Actions: []decision.Action{
				{Key: "try_again", Label: "Try again", Style: "positive", Requires: []string{}},
				{Key: "keep", Label: "Send nothing", Style: "neutral", Requires: []string{"comment"}},
			},
			Roles:    kind.Admins,
			Priority: "normal",
			GroupKey: kind.MailBounce,
			Links:    []decision.Ref{ref, {Type: "mail_message", ID: b.Message, Display: b.Subject}},
		}
	}
	return out, err
}

// answerBounce removes the mark, or keeps it for good.
func answerBounce(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	if a.Decision.Action == "keep" {
		return message.Keep(ctx, tx, a.Task.Key)
	}
	return message.Unmark(ctx, tx, a.Task.Key)
}
