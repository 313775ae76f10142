package evidence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery/answer"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// meanings are what the outcome of a query means for its mitigation and as a verdict.
var meanings = map[string]struct {
	event   mitigation.Event
	verdict string
}{
	storedquery.Passed:     {mitigation.QueryPass, Accepted},
	storedquery.Failed:     {mitigation.QueryFail, Rejected},
	storedquery.Unanswered: {mitigation.QueryOpen, Unanswered},
}

// Ask asks the stored query of a control for mitigations whose evidence is due, and stores each answer as evidence.
func Ask(
	ctx context.Context,
	tx *pg.Tx,
	c control.Control,
	of []mitigation.Mitigation,
	now time.Time,
) ([]mitigation.Answer, error) {
	cadence, _ := c.CadenceAndGrace()
	targets := make([]answer.Target, len(of))
	for i, m := range of {
		targets[i] = answer.Target{IdentityID: m.Identity.ID, PolicyID: m.Policy.ID, Sides: m.Sides}
	}
	question := answer.Question{Query: *c.Evidence.Query, Version: c.Version, Cadence: cadence}
	results, err := answer.Evaluate(ctx, tx, question, targets, now)
	if err != nil {
		return nil, err
	}
	answers := make([]mitigation.Answer, len(of))
	for i, r := range results {
		if err := insertResult(ctx, tx, of[i], r, now); err != nil {
			return nil, err
		}
		answers[i] = mitigation.Answer{Event: meanings[r.Outcome].event, Reason: r.Reason()}
	}
	return answers, nil
}

// insertResult stores an answer as evidence.
func insertResult(ctx context.Context, tx *pg.Tx, m mitigation.Mitigation, r answer.Result, now time.Time) error {
	const sql = `
		insert into mitigation_evidence (tenant_id, id, mitigation_id, due_at, kind, sha256, result, provided_by,
		                                 provided_at, verdict, comment)
		values (current_tenant(), @id, @mitigation, @due, 'automatic_query', @sha256, @result, @by, @now, @verdict,
		        @comment)`
	raw, sum, err := sealed(r)
	if err != nil {
		return err
	}
	due := now
	if m.DueAt != nil {
		due = *m.DueAt
	}
	return pg.Exec(ctx, tx, "insert answer as evidence", sql, pgx.NamedArgs{
		"id":         uuid.Must(uuid.NewV7()).String(),
		"mitigation": m.ID,
		"due":        due,
		"sha256":     sum,
		"result":     raw,
		"by":         decision.ActorOf(tx.Viewer),
		"now":        now,
		"verdict":    meanings[r.Outcome].verdict,
		"comment":    r.Reason(),
	})
}

// sealed returns a result as canonical JSON, with its SHA-256 in hexadecimal.
func sealed(r answer.Result) (canonical json.RawMessage, sum string, err error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, "", err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, "", err
	}
	if canonical, err = chain.CanonicalValue(value); err != nil {
		return nil, "", err
	}
	hash := sha256.Sum256(canonical)
	return canonical, hex.EncodeToString(hash[:]), nil
}
