package review

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Why reasons end by a review. The evaluation gives such access again to people who meet the policy again.
const (
	WhyEnded = "a review ended it, because the policy is not about them any more"
	WhyKept  = "a review kept it until this time"
)

// Decide ends the access of an open review, at once or at a time. until nil: at once.
func Decide(ctx context.Context, tx *pg.Tx, id string, until *time.Time, reason string, now time.Time) error {
	const read = `
		select r.id::text, r.identity_id::text, r.policy_id::text, coalesce(p.name, ''), r.state, r.reason_ids::text[]
		  from policy_review r
		  left join access_policy p on p.id = r.policy_id
		 where r.id = $1
		   for update of r`
	before, err := pg.OneBy(ctx, tx, "read policy review", pgx.RowToStructByPos[stored], read, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "Policy review %s was not found.", id)
	}
	if err != nil {
		return err
	}
	event, why, action, at := End, WhyEnded, "policy_review.ended", time.Time{}
	if until != nil {
		event, why, action, at = Keep, WhyKept, "policy_review.kept", *until
	}
	next, err := before.State.On(event)
	if err != nil {
		return err
	}
	if _, err := ledger.End(ctx, tx, ledger.Which{ReasonIDs: before.ReasonIDs}, at, why, false); err != nil {
		return err
	}
	const put = `
		update policy_review
		   set state = @state, reason_ids = '{}', decision = @decision, updated_at = @now
		 where id = @id`
	made := map[string]any{
		"action": event,
		"reason": reason,
		"by":     decision.ActorOf(tx.Viewer),
		"at":     now,
		"until":  until,
	}
	args := pgx.NamedArgs{"state": next, "decision": made, "now": now, "id": id}
	if err := pg.Exec(ctx, tx, "decide policy review", put, args); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: action, Subject: subject(before.ID, before.Policy),
		Objects: objects(before.IdentityID, before.PolicyID), Reason: reason, Context: map[string]any{"until": until}})
}
