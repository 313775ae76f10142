package dates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/deletion"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
)

// dueInterval is how soon a date that decides a person's state is noticed.
const dueInterval = 5 * time.Minute

// Job is the periodic work that moves people whose day has come: who starts, goes on leave, returns, leaves, or left
// long ago.
func Job(db *pg.DB) queue.Job {
	return queue.Job{
		Name:  "dates",
		Title: "Dates of identities",
		About: "Moves identities whose start date, leave or end date has come, " +
			"and deletes what has been kept long enough.",
		Every: dueInterval,
		Run:   func(ctx context.Context) error { return applyDue(ctx, db) },
	}
}

func applyDue(ctx context.Context, db *pg.DB) error {
	tenants, err := database.ActiveTenants(ctx, db)
	if err != nil {
		return err
	}
	var failed error
	for _, t := range tenants {
		if err := applyDueIn(ctx, db, t); err != nil { // the others' days have come all the same
			failed = errors.Join(failed, fmt.Errorf("tenant %s: %w", t, err))
		}
	}
	return failed
}

// applyDueIn moves a tenant's people, some thousands a transaction.
func applyDueIn(ctx context.Context, db *pg.DB, tenant string) error {
	for {
		var due action.Due
		err := db.As(ctx, viewer.System(tenant), func(tx *pg.Tx) (err error) {
			if due, err = action.ApplyDue(ctx, tx, time.Now()); err != nil {
				return err
			}
			more, err := deletion.Purge(ctx, tx, time.Now())
			due.More = due.More || more
			return err
		})
		if err != nil || !due.More {
			return err
		}
	}
}
