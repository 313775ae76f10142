package workqueue

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// dead is the state of dead letters.
const dead = "dead"

// WorkItem is one item of the work queue.
type WorkItem struct {
	// ID of the work item.
	ID string `json:"id" db:"id"`
	// Kind of the work, as GET /settings/work-queue/summary lists it.
	Kind string `json:"kind" db:"kind"`
	// Name of the kind.
	Title string `json:"title" db:"-"`
	// dead: a dead letter. It failed eight times and is not tried again.
	State string `json:"state" db:"state" enum:"waiting,dead"`
	// What subject_id is the ID of, such as identity, if all items of the kind are about the same type.
	SubjectType string `json:"subject_type,omitempty" db:"-"`
	// Null if the item is about the tenant as a whole.
	SubjectID *string `json:"subject_id" db:"subject_id"`
	// What happened to the subject, in the terms of the kind. Often empty.
	Cause string `json:"cause" db:"cause"`
	// Urgent items are processed first.
	Urgent bool `json:"urgent" db:"urgent"`
	// Next attempt. Null for dead letters.
	DueAt *time.Time `json:"due_at" db:"due_at"`
	// Failed attempts, of eight.
	Attempts int `json:"attempts" db:"attempts"`
	// Error of the last failed attempt.
	LastError *string `json:"last_error" db:"last_error"`
	// Time of the last failed attempt.
	FailedAt *time.Time `json:"failed_at" db:"failed_at"`
	// Time the item was enqueued.
	EnqueuedAt time.Time `json:"enqueued_at" db:"enqueued_at"`
}

// columns give the tenant as a whole, whose subject is all zeros, no subject.
const columns = `w.public_id::text as id, w.kind, w.state,
	nullif(w.subject, '` + queue.Nobody + `')::text as subject_id, w.cause, w.priority > 0 as urgent,
	case when w.state = 'waiting' then w.due_at end as due_at, w.attempts, w.last_error, w.failed_at, w.enqueued_at`

// Filters narrow the list of items; each one given must hold.
type Filters struct {
	// Name of a kind, as GET /settings/work-queue/summary lists it.
	Kind string `query:"kind" maxLength:"100"`
	// Items in this state. A dead item has used up its attempts.
	State string `query:"state" enum:"waiting,dead"`
	// Items that concern the object with this ID.
	SubjectID string `query:"subject_id" format:"uuid"`
	// A leading - is descending. By due_at, a dead letter comes where its next attempt would.
	Sort string `query:"sort" default:"due_at" enum:"due_at,enqueued_at,failed_at,attempts,-due_at,-enqueued_at,-failed_at,-attempts"`
}

var orders = map[string]listing.Order{
	"due_at":      {Column: "w.due_at", Type: "timestamptz"},
	"enqueued_at": {Column: "w.enqueued_at", Type: "timestamptz"},
	"failed_at":   {Column: "coalesce(w.failed_at, 'epoch')", Type: "timestamptz"},
	"attempts":    {Column: "w.attempts", Type: "int"},
}

// query is the list's query.
func (f Filters) query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: columns + ", (" + order.Column + ")::text as place",
		From:    "work_item w",
		ID:      "w.public_id",
		Order:   order,
	}
	q.Equal("w.kind", "kind", f.Kind)
	q.Equal("w.state", "state", f.State)
	q.Equal("w.subject", "subject_id", f.SubjectID)
	return q, nil
}

// placed is an item with the sort key that the database gave it, which is what the next page starts after.
type placed struct {
	WorkItem
	Place string `db:"place"`
}

// find retrieves an item and locks it, so that no process takes it in the meantime.
func find(ctx context.Context, tx *pg.Tx, id string) (WorkItem, error) {
	const sql = `select ` + columns + ` from work_item w where w.tenant_id = current_tenant()
		and w.public_id = $1 for update`
	missing := fault.New(fault.NotFound, "Work item %s was not found. Its work may be done already.", id)
	if !listing.IsID(id) {
		return WorkItem{}, missing
	}
	item, err := pg.One[WorkItem](ctx, tx, "find work item", sql, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return WorkItem{}, missing
	case err != nil:
		return WorkItem{}, err
	}
	return item, nil
}

// findDead is find for dead letters; other items are a conflict.
func findDead(ctx context.Context, tx *pg.Tx, id string) (WorkItem, error) {
	item, err := find(ctx, tx, id)
	if err == nil && item.State != dead {
		return item, fault.Coded(
			fault.Conflict,
			"not_a_dead_letter",
			"Work item %s is not a dead letter. It is waiting for its next attempt, which is due at %s.",
			id,
			item.DueAt.UTC().Format(time.RFC3339),
		)
	}
	return item, err
}
