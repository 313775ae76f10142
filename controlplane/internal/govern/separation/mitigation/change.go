package mitigation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// actions are those of the audit log, by event.
var actions = map[Event]string{
	Approve: "mitigation.approved",
	Refuse:  "mitigation.refused",
	Replace: "mitigation.replaced",
	Ask:     "mitigation.evidence_asked",
	Provide: "mitigation.evidence_provided",
	Reject:  "mitigation.evidence_rejected",
	Delay:   "mitigation.evidence_overdue",
	Nudge:   "mitigation.evidence_reminded",
	Warn:    "mitigation.ending",
	Miss:    "mitigation.lapsed",
	Raise:   "mitigation.lapsed",
	End:     "mitigation.expired",
	Settle:  "mitigation.resolved",

	Withdraw: "mitigation.withdrawn",

	QueryPass: "mitigation.query_passed",
	QueryFail: "mitigation.query_failed",
	QueryOpen: "mitigation.query_unanswered",
}

// Advance lets an event happen to a mitigation that is locked: it writes the state and the dates, audits, and mitigates
// or reopens the violations. reason is that of the person who acts, or empty.
func Advance(
	ctx context.Context,
	tx *pg.Tx,
	m Mitigation,
	e Event,
	reason string,
	now time.Time,
) (Mitigation, error) {
	c, err := control.Find(ctx, tx, m.Control.ID, "")
	if err != nil {
		return m, err
	}
	return m.advance(ctx, tx, c.Fields, e, reason, now)
}

// advance is Advance with the control of the mitigation.
func (m Mitigation) advance(
	ctx context.Context,
	tx *pg.Tx,
	c control.Fields,
	e Event,
	reason string,
	now time.Time,
) (Mitigation, error) {
	next, err := m.State.On(e)
	if err != nil {
		return m, err
	}
	at, err := zone(ctx, tx)
	if err != nil {
		return m, err
	}
	before := m.State
	m.pass(e, c, now, at)
	m.State = next
	if next.hasEnded() {
		why := string(e)
		m.DueAt, m.LapsesAt, m.EndedAt, m.EndedReason = nil, nil, &now, &why
	}
	if e == Approve || e == Refuse {
		by := decision.ActorOf(tx.Viewer)
		m.DecidedBy, m.DecidedAt, m.DecidedReason = &by, &now, reason
	}
	if err := m.write(ctx, tx, c); err != nil {
		return m, err
	}
	entry := audit.Entry{Action: actions[e], Subject: m.AuditSubject(), Objects: m.AuditObjects(), Reason: reason,
		Context: map[string]any{"cause": string(e)}}
	if err := audit.Record(ctx, tx, entry); err != nil {
		return m, err
	}
	if err := m.settle(ctx, tx, c, before, e, now); err != nil {
		return m, err
	}
	return m, m.tell(ctx, tx, e)
}

// settle mitigates or reopens the violations where that changed.
func (m *Mitigation) settle(
	ctx context.Context,
	tx *pg.Tx,
	c control.Fields,
	before State,
	e Event,
	now time.Time,
) error {
	of := violation.Of{IdentityID: m.Identity.ID, PolicyID: m.Policy.ID, Sides: m.Sides}
	switch {
	case m.State.Mitigates() && !before.Mitigates():
		return violation.Mitigate(ctx, tx, of, m.ID, now)
	case before.Mitigates() && !m.State.Mitigates():
		reopened, err := violation.Reopen(ctx, tx, of, m.ID, string(e), now)
		if err != nil || len(reopened) == 0 || !e.lapses() {
			return err
		}
		return m.lapse(ctx, tx, c, reopened, now)
	}
	return nil
}

// write writes what events change.
func (m *Mitigation) write(ctx context.Context, tx *pg.Tx, c control.Fields) error {
	const sql = `
		update mitigation
		   set state = @state, severity = @severity, decided_by = @decided_by, decided_at = @decided_at,
		       decided_reason = @decided_reason, starts_at = @starts_at, ends_at = @ends_at, due_at = @due_at,
		       lapses_at = @lapses_at, turn_at = @turn_at, reminded_at = @reminded_at, end_told_at = @end_told_at,
		       end_agreed_at = @end_agreed_at, ended_at = @ended_at, ended_reason = @ended_reason, updated_at = now(),
		       version = version + 1
		 where id = @id`
	var turn *time.Time
	if e, when := m.turn(c); e != "" {
		turn = &when
	}
	m.Version++
	return pg.Exec(ctx, tx, "write mitigation", sql, pgx.NamedArgs{
		"id":             m.ID,
		"state":          m.State,
		"severity":       m.Severity,
		"decided_by":     m.DecidedBy,
		"decided_at":     m.DecidedAt,
		"decided_reason": m.DecidedReason,
		"starts_at":      m.StartsAt,
		"ends_at":        m.EndsAt,
		"due_at":         m.DueAt,
		"lapses_at":      m.LapsesAt,
		"turn_at":        turn,
		"reminded_at":    m.RemindedAt,
		"end_told_at":    m.EndToldAt,
		"end_agreed_at":  m.EndAgreedAt,
		"ended_at":       m.EndedAt,
		"ended_reason":   m.EndedReason,
	})
}

// Approved approves a proposed mitigation, and replaces one of the same violation that is in force.
func Approved(ctx context.Context, tx *pg.Tx, id, comment string, now time.Time) (Mitigation, error) {
	m, err := decidable(ctx, tx, id)
	if err != nil {
		return m, err
	}
	if m.Severity, err = m.gravest(ctx, tx); err != nil {
		return m, err
	}
	c, err := control.Find(ctx, tx, m.Control.ID, " for share of c")
	if err != nil {
		return m, err
	}
	if !c.Enabled || !c.Covers(m.Policy.ID, m.Severity) {
		return m, fault.Coded(fault.Conflict, "control_not_applicable",
			"The control %q is disabled, or does not apply to violations of this policy with the severity %s.",
			c.Name, m.Severity)
	}
	const others = `
		select o.id::text
		  from mitigation o
		 where o.identity_id = $1
		   and o.policy_id = $2
		   and o.sides = $3
		   and mitigating(o.state)
		   for update of o`
	replaced, err := pg.All[string](ctx, tx, "find replaced mitigations", others, m.Identity.ID, m.Policy.ID, m.Sides)
	if err != nil {
		return m, err
	}
	for _, other := range replaced {
		old, err := find(ctx, tx, other, "mitigation m", " for update of m")
		if err != nil {
			return m, err
		}
		if _, err := Advance(ctx, tx, old, Replace, "", now); err != nil {
			return m, err
		}
	}
	return m.advance(ctx, tx, c.Fields, Approve, comment, now)
}

// gravest is the highest severity of the violations that it is for, or that of the proposal.
func (m Mitigation) gravest(ctx context.Context, tx *pg.Tx) (string, error) {
	const sql = `
		select s
		  from (select v.severity
		          from violation v
		         where v.identity_id = $1 and v.policy_id = $2 and $3 in ('', v.sides) and v.state <> 'remediated'
		         union all
		        select $4) x (s)
		 order by array_position(array['low', 'medium', 'high', 'critical'], s) desc
		 limit 1`
	return pg.One[string](ctx, tx, "read severity of violation", sql, m.Identity.ID, m.Policy.ID, m.Sides, m.Severity)
}

// Declined refuses a proposed mitigation.
func Declined(ctx context.Context, tx *pg.Tx, id, comment string, now time.Time) (Mitigation, error) {
	m, err := decidable(ctx, tx, id)
	if err != nil {
		return m, err
	}
	return Advance(ctx, tx, m, Refuse, comment, now)
}

// decidable locks a mitigation that the viewer may approve or refuse: nobody decides what they have proposed, nor about
// a violation of their own.
func decidable(ctx context.Context, tx *pg.Tx, id string) (Mitigation, error) {
	m, err := find(ctx, tx, id, "mitigation m", " for update of m")
	if err != nil {
		return m, err
	}
	if viewer.SamePerson(append(m.RequestedBy.Parties(), m.Identity.ID), tx.Viewer.Parties()) {
		return m, fault.Coded(fault.Forbidden, "own_request",
			"You proposed this mitigation, or it is about your own access. Another person must decide it.")
	}
	return m, nil
}

// Withdrawal ends a mitigation, or takes a proposal back.
func Withdrawal(ctx context.Context, tx *pg.Tx, m Mitigation, reason string, now time.Time) (Mitigation, error) {
	return Advance(ctx, tx, m, Withdraw, reason, now)
}
