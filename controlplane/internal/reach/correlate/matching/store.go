package matching

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/explanation"
)

// Store makes judgements true, but for accounts that users have changed in the meantime.
func (p *Plan) Store(ctx context.Context, tx *pg.Tx, list []Judgement) error {
	if len(list) == 0 {
		return nil
	}
	const temp = `
		create temp table if not exists correlate_verdict (
		    id uuid, version int, identity_id uuid, state text, correlation jsonb, keys bigint, rules bigint
		) on commit delete rows`
	if err := pg.Exec(ctx, tx, "store verdicts", temp); err != nil {
		return err
	}
	var now time.Time
	if err := tx.QueryRow(ctx, `select now()`).Scan(&now); err != nil {
		return fmt.Errorf("store verdicts: %w", err)
	}
	into := []string{"id", "version", "identity_id", "state", "correlation", "keys", "rules"}
	rows := pgx.CopyFromSlice(len(list), func(i int) ([]any, error) { return p.row(list[i], explanation.Instant(now)) })
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"correlate_verdict"}, into, rows); err != nil {
		return fmt.Errorf("store verdicts: %w", err)
	}
	const update = `
		update account a
		   set identity_id = v.identity_id, correlation_state = v.state, correlation = v.correlation,
		       correlation_keys = v.keys, correlation_rules = v.rules,
		       unowned_since = case when v.identity_id is not null then null
		                            when a.identity_id is null then a.unowned_since
		                            else now() end,
		       updated_at = now(), version = a.version + 1
		  from correlate_verdict v
		 where a.tenant_id = current_tenant()
		   and a.id = v.id
		   and a.version = v.version`
	for _, sql := range []string{`analyze correlate_verdict`, update, `truncate correlate_verdict`} {
		if err := pg.Exec(ctx, tx, "store verdicts", sql); err != nil {
			return err
		}
	}
	return nil
}

// row is a judgement as it is copied. Digests are kept with links alone: what has no owner is looked at every time.
func (p *Plan) row(j Judgement, at string) ([]any, error) {
	j.Document.DecidedAt = at
	b, err := json.Marshal(j.Document)
	if err != nil {
		return nil, fmt.Errorf("encode why: %w", err)
	}
	var owner, keys, rules any
	if j.Verdict.state == linked {
		owner, keys, rules = j.Verdict.Owner.ID, j.Subject.keys, p.rulesDigest
	}
	return []any{j.Subject.ID, j.Subject.version, owner, j.Verdict.state, b, keys, rules}, nil
}
