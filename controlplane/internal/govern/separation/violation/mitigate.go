package violation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Of names the violations of a policy by a person. Without Sides, those between all sides of a matrix.
type Of struct{ IdentityID, PolicyID, Sides string }

// Mitigate makes violations mitigated that a mitigation covers now.
func Mitigate(ctx context.Context, tx *pg.Tx, of Of, mitigationID string, now time.Time) error {
	const sql = `
		update violation v
		   set state = 'mitigated', updated_at = now(), version = version + 1
		 where v.identity_id = @identity
		   and v.policy_id = @policy
		   and @sides in ('', v.sides)
		   and v.state = any(@from)
		   and mitigation_covering(v.identity_id, v.policy_id, v.sides, v.severity) is not null
		returning v.id::text, coalesce(v.conflict -> 'policy' ->> 'name', '')`
	_, err := of.change(ctx, tx, sql, Covered, mitigationID, "", now)
	return err
}

// Reopen opens mitigated violations that no mitigation covers any more, and returns their IDs. cause is why the
// mitigation ended.
func Reopen(ctx context.Context, tx *pg.Tx, of Of, mitigationID, cause string, now time.Time) ([]string, error) {
	const sql = `
		update violation v
		   set state = 'open', reopened_count = reopened_count + 1, reopened_at = @now, updated_at = now(),
		       version = version + 1
		 where v.identity_id = @identity
		   and v.policy_id = @policy
		   and @sides in ('', v.sides)
		   and v.state = any(@from)
		   and mitigation_covering(v.identity_id, v.policy_id, v.sides, v.severity) is null
		returning v.id::text, coalesce(v.conflict -> 'policy' ->> 'name', '')`
	return of.change(ctx, tx, sql, Lapsed, mitigationID, cause, now)
}

// outcomes are the actions of the audit log about mitigations.
var outcomes = map[Event]string{Covered: "violation.mitigated", Lapsed: "violation.reopened"}

// change lets an event happen to violations by a statement that returns their IDs and policies, and audits it. It
// returns the IDs.
func (of Of) change(
	ctx context.Context,
	tx *pg.Tx,
	sql string,
	e Event,
	mitigationID, cause string,
	now time.Time,
) ([]string, error) {
	from, changed := []string{}, []string{}
	for s, events := range transitions {
		if next, possible := events[e]; possible && next != s && s != Remediated && s != FalsePositive {
			from = append(from, string(s))
		}
	}
	var entries []audit.Entry
	var id, name string
	err := pg.Each(ctx, tx, "change mitigated violations", []any{&id, &name}, func() error {
		entry := audit.Entry{
			Action:  outcomes[e],
			Subject: audit.Subject{Type: "violation", ID: id, Display: name},
			Objects: []audit.Subject{
				{Type: "identity", ID: of.IdentityID},
				{Type: "separation_policy", ID: of.PolicyID, Display: name},
				{Type: "mitigation", ID: mitigationID},
			},
		}
		if cause != "" {
			entry.Context = map[string]any{"cause": cause}
		}
		entries, changed = append(entries, entry), append(changed, id)
		return nil
	}, sql, pgx.NamedArgs{"identity": of.IdentityID, "policy": of.PolicyID, "sides": of.Sides, "from": from,
		"now": now})
	if err != nil {
		return nil, err
	}
	return changed, audit.RecordAll(ctx, tx, entries)
}
