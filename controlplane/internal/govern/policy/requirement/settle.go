package requirement

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Accept exempts a person from a requirement until a time, for what they lack now.
func Accept(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	match httpapi.IfMatch,
	in NewGapExemption,
	now time.Time,
) (RequirementGap, error) {
	if !in.Until.After(now) {
		return RequirementGap{}, fault.New(fault.Invalid, "An exemption ends in the future.").
			With(fault.Field{Pointer: "#/until", Code: "invalid", Detail: "a time in the future"})
	}
	in.Until = in.Until.UTC()
	return amend(ctx, tx, id, match, Exempt, func(next State) (audit.Entry, error) {
		e := GapExemption{
			Reason: strings.TrimSpace(in.Reason),
			By:     decision.ActorOf(tx.Viewer),
			At:     now,
			Until:  in.Until,
		}
		const sql = `
			update requirement_gap
			   set state = @state, exemption = @exemption, exempt_until = @until, updated_at = @now,
			       version = version + 1
			 where id = @id`
		return audit.Entry{
				Action:  "requirement_gap.exempted",
				Reason:  e.Reason,
				Context: map[string]any{"until": e.Until},
			}, pg.Exec(ctx, tx, "exempt from requirement", sql,
				pgx.NamedArgs{"state": next, "exemption": e, "until": e.Until, "now": now, "id": id})
	})
}

// withdraw ends an exemption. The gap is open again.
func withdraw(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	match httpapi.IfMatch,
	now time.Time,
) (RequirementGap, error) {
	return amend(ctx, tx, id, match, Lapsed, func(next State) (audit.Entry, error) {
		const sql = `
			update requirement_gap
			   set state = @state, exemption = null, exempt_until = null, reopened_at = @now, updated_at = @now,
			       version = version + 1
			 where id = @id`
		return audit.Entry{Action: "requirement_gap.exemption_withdrawn"},
			pg.Exec(ctx, tx, "withdraw exemption", sql, pgx.NamedArgs{"state": next, "now": now, "id": id})
	})
}

// amend changes a gap: locked, after If-Match, and audited.
func amend(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	match httpapi.IfMatch,
	event Event,
	how func(next State) (audit.Entry, error),
) (RequirementGap, error) {
	before, err := locked(ctx, tx, id)
	if err != nil {
		return before, err
	}
	if err := match.Check(before.Version); err != nil {
		return before, err
	}
	next, err := before.State.On(event)
	if err != nil {
		return before, err
	}
	entry, err := how(next)
	if err != nil {
		return before, err
	}
	entry.Subject = subject(before.ID, before.Policy.Display)
	entry.Objects = objects(before.Identity.ID, before.Policy.ID)
	if err := audit.Record(ctx, tx, entry); err != nil {
		return before, err
	}
	return Find(ctx, tx, id)
}

// LapsedSQL is the SQL condition on requirement_gap g that its exemption has ended at $1.
const LapsedSQL = `g.state = 'exempted' and g.exempt_until <= $1`

// Lapse opens the gaps of a tenant again whose exemption has ended, and returns how many.
func Lapse(ctx context.Context, tx *pg.Tx, now time.Time) (int, error) {
	const sql = `
		update requirement_gap g
		   set state = 'open', exemption = null, exempt_until = null, reopened_at = $1, updated_at = $1,
		       version = g.version + 1
		 where ` + LapsedSQL + `
		returning g.id::text, g.identity_id::text, g.policy_id::text,
		    coalesce((select p.name from access_policy p where p.id = g.policy_id), '') as policy`
	var entries []audit.Entry
	var id, identity, policy, name string
	if err := pg.Each(ctx, tx, "end exemptions", []any{&id, &identity, &policy, &name}, func() error {
		entries = append(entries, audit.Entry{Action: "requirement_gap.exemption_lapsed", Subject: subject(id, name),
			Objects: objects(identity, policy)})
		return nil
	}, sql, now); err != nil {
		return 0, err
	}
	return len(entries), audit.RecordAll(ctx, tx, entries)
}
