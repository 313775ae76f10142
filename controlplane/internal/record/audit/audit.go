// Package audit keeps who did what. An entry is written in the doer's own transaction: what was done and the record of
// it come true together, or not at all. Each entry continues the one before by its hash, so that none can be changed,
// left out or put in later without being seen; package chain says how.
package audit

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Outcome says how the action ended.
type Outcome string

// Outcomes.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
	Denied  Outcome = "denied"
)

// Entry is what happened. Who did it is the viewer of the transaction.
type Entry struct {
	Action    string    // domain.verb of the catalog, e.g. auth.login or connector.created
	Outcome   Outcome   // Success when empty
	Subject   Subject   // what it was done to
	Objects   []Subject // what else it touched
	Changes   []Change  // what became different; values of secret fields are left out
	Reason    string    // why, in the words of who did it
	ActingFor Subject   // on whose behalf, by delegation
	Context   map[string]any
}

// Subject is what an action was done to.
type Subject struct {
	// Type of the object, such as user, session, connector or identity.
	Type string `json:"type"` // user, session, connector, identity, …
	// ID of the object.
	ID string `json:"id"`
	// Display name of the object at the time of the action.
	Display string `json:"display,omitempty"`
}

// Change is one field that became different.
type Change struct {
	Field string
	From  any
	To    any
}

// Record adds an entry to the log of the transaction's tenant, in one round trip. Its number follows the last one
// without a gap and its hash continues the last one's: the row of audit_head stays locked until the transaction ends,
// so a tenant's audited transactions commit one after the other. It returns a fault of kind Unavailable when it cannot
// write, and the action must then not happen.
func Record(ctx context.Context, tx *pg.Tx, e Entry) error {
	beforeSeq, beforeTime, err := e.canonical(tx.Viewer)
	if err != nil {
		return unavailable(e.Action, err)
	}
	if _, err := tx.Exec(ctx, `select audit_append($1, $2)`, beforeSeq, beforeTime); err != nil {
		return unavailable(e.Action, err)
	}
	return nil
}

// RecordAll is Record for many entries, in their order and in one round trip.
func RecordAll(ctx context.Context, tx *pg.Tx, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var heads, tails []string
	for _, e := range entries {
		beforeSeq, beforeTime, err := e.canonical(tx.Viewer)
		if err != nil {
			return unavailable(e.Action, err)
		}
		heads, tails = append(heads, beforeSeq), append(tails, beforeTime)
	}
	if _, err := tx.Exec(ctx, `select audit_append_all($1, $2)`, heads, tails); err != nil {
		return unavailable(entries[0].Action, err)
	}
	return nil
}

func unavailable(action string, cause error) error {
	f := fault.Coded(
		fault.Unavailable,
		"audit_unavailable",
		"The change could not be recorded in the audit log, so it was not made. Try again.",
	)
	return fmt.Errorf("%w (%s: %w)", f, action, cause)
}
