package matter

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Kinds of task. The key of each is the id of what it is about.
const (
	SyncHold            = "sync_hold"            // a run
	AccountCorrelation  = "account_correlation"  // an account
	OrphanAccount       = "orphan_account"       // an account
	SchemaDiff          = "schema_diff"          // a diff
	ManualProvisioning  = "manual_provisioning"  // a provisioning task
	ProvisioningFailure = "provisioning_failure" // a provisioning task
	PackConflict        = "pack_conflict"        // a conflict
	BreakerOpen         = "breaker_open"         // a connector
	NativeGrant         = "native_grant"         // a grant that came back, or a connector with unmanaged access
)

// kind is one sort of matter.
type kind struct {
	name    string
	about   string        // what the tasks are about, in the plural
	subject string        // type of what the key of a task is the id of; empty: of several types
	needed  string        // SQL: the id of everything that waits for a decision
	over    string        // SQL: of @ids, id and why it waits no more
	within  time.Duration // how long after it was first asked a decision is due; 0: the questions say
	bulk    bool          // what is decided takes large statements
	ask     func(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error)
	answer  func(ctx context.Context, tx *pg.Tx, a decision.Answered) error
}

// admins decide where nobody else is known to be responsible.
var admins = []string{string(viewer.Admin)}

// day is a day of a due date.
const day = 24 * time.Hour

func (s *Service) kinds() []kind {
	return []kind{
		s.holds(),
		s.disputes(),
		s.orphans(),
		s.diffs(),
		s.byHand(),
		s.failures(),
		s.conflicts(),
		s.returned(),
		s.breakers(),
	}
}

// waiting are those of ids that wait for a decision.
func (k kind) waiting(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	sql := `select n.id::text from (` + k.needed + `) n (id) where n.id = any(@ids::text[]::uuid[])`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("look what waits: %s: %w", k.name, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look what waits: %s: %w", k.name, err)
	}
	return found, nil
}

// ended says of ids that wait no more why they do not.
func (k kind) ended(ctx context.Context, tx *pg.Tx, ids []string) (map[string]string, error) {
	why := map[string]string{}
	if len(ids) == 0 {
		return why, nil
	}
	rows, err := tx.Query(ctx, k.over, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("look why nothing waits: %s: %w", k.name, err)
	}
	var id string
	var words *string
	_, err = pgx.ForEachRow(rows, []any{&id, &words}, func() error {
		if words != nil {
			why[id] = *words
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look why nothing waits: %s: %w", k.name, err)
	}
	for _, id := range ids {
		if why[id] == "" {
			why[id] = "there is nothing to decide any more"
		}
	}
	return why, nil
}

// asked is when open tasks were first asked, by their keys: bringing one up to date does not put it off.
func (k kind) asked(ctx context.Context, tx *pg.Tx, ids []string) (map[string]time.Time, error) {
	const sql = `
		select t.key, t.created_at
		  from decision_task t
		 where t.kind = @kind
		   and t.key = any(@ids::text[])
		   and (t.state in ('open', 'claimed') or t.apply_at is not null)`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"kind": k.name, "ids": ids})
	if err != nil {
		return nil, fmt.Errorf("look what was asked: %w", err)
	}
	at := map[string]time.Time{}
	var key string
	var when time.Time
	_, err = pgx.ForEachRow(rows, []any{&key, &when}, func() error { at[key] = when; return nil })
	if err != nil {
		return nil, fmt.Errorf("look what was asked: %w", err)
	}
	return at, nil
}

// rows reads the facts of a kind: sql has @ids.
func rows[T any](ctx context.Context, tx *pg.Tx, sql string, ids []string) ([]T, error) {
	found, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	list, err := pgx.CollectRows(found, pgx.RowToStructByName[T])
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	return list, nil
}
