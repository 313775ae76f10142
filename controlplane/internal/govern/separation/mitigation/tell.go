package mitigation

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// kinds are the events that others are told of, by what happens.
var kinds = map[Event]event.Kind{
	Approve:  event.MitigationApproved,
	Refuse:   event.MitigationRefused,
	Ask:      event.MitigationEvidenceDue,
	Delay:    event.MitigationEvidenceOverdue,
	Warn:     event.MitigationEnding,
	Miss:     event.MitigationLapsed,
	Raise:    event.MitigationLapsed,
	End:      event.MitigationEnded,
	Withdraw: event.MitigationEnded,
	Replace:  event.MitigationEnded,
	Settle:   event.MitigationEnded,

	QueryFail: event.MitigationEvidenceDue,
	QueryOpen: event.MitigationEvidenceDue,
}

// tell publishes what happened, and reminds who was asked for evidence.
func (m Mitigation) tell(ctx context.Context, tx *pg.Tx, e Event) error {
	if kind, told := kinds[e]; told {
		return m.publish(ctx, tx, kind)
	}
	if e == Nudge {
		return decision.RemindOf(ctx, tx, "mitigation_evidence", m.ID, "the evidence is due soon")
	}
	return nil
}

// publish publishes an event about the mitigation: IDs, states and dates.
func (m Mitigation) publish(ctx context.Context, tx *pg.Tx, kind event.Kind) error {
	return event.Publish(ctx, tx, event.Event{
		Kind:     kind,
		Resource: event.Resource{Type: "mitigation", ID: m.ID},
		Version:  m.Version,
		Data: map[string]any{
			"state":                m.State,
			"mitigation_policy_id": m.Control.ID,
			"policy_id":            m.Policy.ID,
			"identity_id":          m.Identity.ID,
			"owner_id":             m.Owner.ID,
			"violation_id":         m.ViolationID,
			"access_request_id":    m.RequestID,
			"severity":             m.Severity,
			"ends_at":              m.EndsAt,
			"next_evidence_due_at": m.DueAt,
			"ended_reason":         m.EndedReason,
			"lapse_effect":         m.LapseEffect,
		},
	})
}
