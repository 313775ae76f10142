package kind

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
	BlindPolicy         = "blind_policy"         // a separation-of-duties policy
	ProvisioningHold    = "provisioning_hold"    // a provisioning task
	PackConflict        = "pack_conflict"        // a conflict
	BreakerOpen         = "breaker_open"         // a connector
	SodViolation        = "sod_violation"        // a violation of a separation-of-duties policy
	MitigationApproval  = "mitigation_approval"  // a proposed mitigation
	MitigationEvidence  = "mitigation_evidence"  // a mitigation with evidence due
	MitigationEnd       = "mitigation_end"       // a mitigation that ends soon
	MitigationReview    = "mitigation_review"    // evidence of a mitigation
	RequirementGap      = "requirement_gap"      // what a person lacks that a policy requires
	LifecycleException  = "lifecycle_exception"  // access of a person that a policy no longer gives
	MailBounce          = "mail_bounce"          // an address that a mail server rejected
	NativeGrant         = "native_grant"         // a grant that came back, or a connector with unmanaged access
)

// Kind is one kind of decision task: when one is needed, how it is asked, and what its answers do.
type Kind struct {
	Name    string
	About   string        // what the tasks are about, in the plural
	Subject string        // type of what the key of a task is the id of; empty: of several types
	Needed  string        // SQL: the id of everything that waits for a decision
	Over    string        // SQL: of @ids, id and why it waits no more
	Within  time.Duration // how long after it was first asked a decision is due; 0: the questions say
	Bulk    bool          // what is decided takes large statements
	Ask     func(ctx context.Context, tx *pg.Tx, ids []string) ([]decision.New, error)
	Answer  func(ctx context.Context, tx *pg.Tx, a decision.Answered) error
}

// Admins decide if no one else is responsible.
var Admins = []string{string(viewer.Admin)}

// Day is a day of a due date.
const Day = 24 * time.Hour

// waiting are those of ids that wait for a decision.
func (k Kind) waiting(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	sql := `select n.id::text from (` + k.Needed + `) n (id) where n.id = any(@ids::text[]::uuid[])`
	return pg.All[string](ctx, tx, "look what waits: "+k.Name, sql, pgx.NamedArgs{"ids": ids})
}

// ended says of ids that wait no more why they do not.
func (k Kind) ended(ctx context.Context, tx *pg.Tx, ids []string) (map[string]string, error) {
	why := map[string]string{}
	if len(ids) == 0 {
		return why, nil
	}
	var id string
	var words *string
	if err := pg.Each(ctx, tx, "look why nothing waits: "+k.Name, []any{&id, &words}, func() error {
		if words != nil {
			why[id] = *words
		}
		return nil
	}, k.Over, pgx.NamedArgs{"ids": ids}); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if why[id] == "" {
			why[id] = "there is nothing to decide any more"
		}
	}
	return why, nil
}

// asked is when open tasks were first asked, by their keys: bringing one up to date does not put it off.
func (k Kind) asked(ctx context.Context, tx *pg.Tx, ids []string) (map[string]time.Time, error) {
	const sql = `
		select t.key, t.created_at
		  from decision_task t
		 where t.kind = @kind
		   and t.key = any(@ids::text[])
		   and (t.state in ('open', 'claimed') or t.apply_at is not null)`
	at := map[string]time.Time{}
	var key string
	var when time.Time
	if err := pg.Each(
		ctx,
		tx,
		"look what was asked",
		[]any{&key, &when},
		func() error { at[key] = when; return nil },
		sql,
		pgx.NamedArgs{"kind": k.Name, "ids": ids},
	); err != nil {
		return nil, err
	}
	return at, nil
}

// ReadFacts reads the facts that questions need; sql has the parameter @ids.
func ReadFacts[T any](ctx context.Context, tx *pg.Tx, sql string, ids []string) ([]T, error) {
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
