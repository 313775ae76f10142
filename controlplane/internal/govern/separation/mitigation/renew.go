package mitigation

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// renewed is the ID of the mitigation that a proposal renews: the one that it names, or the one in force; empty: none.
func (in NewMitigation) renewed(ctx context.Context, tx *pg.Tx, v Target) (string, error) {
	const sql = `
		select m.id::text
		  from mitigation m
		 where m.identity_id = $1
		   and m.policy_id = $2
		   and m.sides = $3
		   and m.starts_at is not null
		   and case when $4 = '' then mitigating(m.state) else m.id::text = lower($4) end`
	named := in.RenewalOfID
	id, err := pg.One[string](ctx, tx, "find mitigation to renew", sql, v.IdentityID, v.PolicyID, v.Sides, named)
	if !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	if in.RenewalOfID == "" {
		return "", nil
	}
	return "", fault.New(fault.Invalid, "The violation has no approved mitigation %s.", in.RenewalOfID).
		With(fault.Field{Pointer: "#/renewal_of_id", Code: "not_found",
			Detail: "give the ID of an approved mitigation of this violation"})
}

// Renew proposes to go on with a mitigation in force: with its control and owner, and with its duration unless another
// one is given.
func Renew(ctx context.Context, tx *pg.Tx, id, duration, reason string, now time.Time) (Mitigation, error) {
	m, err := live(ctx, tx, id)
	if err != nil {
		return m, err
	}
	in := NewMitigation{ControlID: m.Control.ID, OwnerID: m.Owner.ID, Duration: m.Duration, RenewalOfID: m.ID,
		Justification: reason}
	if duration != "" {
		in.Duration = duration
	}
	const sql = `
		select v.id::text
		  from violation v
		 where v.identity_id = $1
		   and v.policy_id = $2
		   and $3 in ('', v.sides)
		   and v.state in ('open', 'mitigated')
		 order by v.id
		 limit 1`
	in.ViolationID, err = pg.One[string](
		ctx,
		tx,
		"find violation of mitigation",
		sql,
		m.Identity.ID,
		m.Policy.ID,
		m.Sides,
	)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, fault.Coded(fault.Conflict, "invalid_transition", "The violation needs no mitigation any more.").
			Also("allowed", []string{})
	}
	if err != nil {
		return m, err
	}
	v := Target{IdentityID: m.Identity.ID, PolicyID: m.Policy.ID, Sides: m.Sides}
	if v.Severity, err = m.gravest(ctx, tx); err != nil {
		return m, err
	}
	if err := in.Check(ctx, tx, v); err != nil {
		return m, err
	}
	return Insert(ctx, tx, in, v, now)
}

// AgreeToEnd notes that a mitigation in force ends without a renewal, so that nobody is asked again.
func AgreeToEnd(ctx context.Context, tx *pg.Tx, id, comment string, now time.Time) error {
	m, err := live(ctx, tx, id)
	if err != nil {
		return err
	}
	const sql = `
		update mitigation
		   set end_agreed_at = $2, updated_at = now(), version = version + 1
		 where id = $1`
	if err := pg.Exec(ctx, tx, "agree to end of mitigation", sql, m.ID, now); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "mitigation.end_agreed", Subject: m.AuditSubject(),
		Objects: m.AuditObjects(), Reason: comment})
}

// live locks a mitigation that mitigates its violation.
func live(ctx context.Context, tx *pg.Tx, id string) (Mitigation, error) {
	m, err := find(ctx, tx, id, "mitigation m", " for update of m")
	if err == nil && !m.State.Mitigates() {
		err = fault.Coded(fault.Conflict, "invalid_transition",
			"The mitigation is %s and does not mitigate its violation.", m.State).
			Also("allowed", allowed(m.State))
	}
	return m, err
}
