package mitigation

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// lapse does what the control says about violations that are open again, and stores what that was. If one of them
// cannot be revoked, the mitigation is escalated; the others are revoked all the same. A policy that is not enforced
// revokes and asks nothing.
func (m *Mitigation) lapse(ctx context.Context, tx *pg.Tx, c control.Fields, reopened []string, now time.Time) error {
	onLapse, revocable := c.OnLapse, true
	const sql = `select exists (select from separation_policy p where p.id = $1 and p.enabled and p.mode = 'enforce')`
	enforced, err := pg.One[bool](ctx, tx, "read mode of policy", sql, m.Policy.ID)
	if err != nil {
		return err
	}
	if !enforced {
		onLapse = control.Reopen
	}
	if onLapse == control.Revoke {
		for _, id := range reopened {
			ordered, err := violation.RevokeCure(
				ctx,
				tx,
				id,
				"The mitigation by the control "+c.Name+" has ended.",
				now,
			)
			if err != nil {
				return err
			}
			revocable = revocable && ordered
		}
	}
	effect := effectOf(onLapse, revocable)
	m.LapseEffect = &effect
	const note = `update mitigation set lapse_effect = $2 where id = $1`
	if err := pg.Exec(ctx, tx, "note effect of lapse", note, m.ID, effect); err != nil || effect != Escalated {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "mitigation.escalated", Subject: m.AuditSubject(),
		Objects: m.AuditObjects(), Context: map[string]any{"violation_ids": reopened, "on_lapse": c.OnLapse}})
}
