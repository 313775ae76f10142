package taskview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
)

// ProvisioningHealth counts the provisioning tasks of a connector. Whether they are sent is health.writing of the
// connector.
type ProvisioningHealth struct {
	// What keeps everything from being sent; null when nothing does.
	Waiting *ability.Waiting `json:"waiting"`
	// Since when the target cannot be worked with.
	WaitingSince *time.Time `json:"waiting_since"`
	// How often, one after the other, the target could not be worked with.
	ConsecutiveFailures int `json:"consecutive_failures"`
	// Changes that wait or are being sent.
	OpenTasks int64 `json:"open_tasks"`
	// Changes that failed and need a decision.
	FailedTasks int64 `json:"failed_tasks"`
	// Changes that a person has to make.
	ManualTasks int64 `json:"manual_tasks"`
	// Accounts of people who left that can still be used hours later.
	OverdueLeavers int64 `json:"overdue_leavers"`
	// Time the oldest task that is queued, running or retrying was created; null if there is none.
	OldestOpenAt *time.Time `json:"oldest_open_at"`
}

// Health counts the provisioning tasks of a connector.
func Health(ctx context.Context, tx *pg.Tx, connectorID string) (h ProvisioningHealth, err error) {
	const sql = `
		select l.wait_since, coalesce(l.failures, 0), ` + ability.WaitingSQL + `
		  from connector c ` + ability.AroundConnectorSQL + `
		 where c.id = $1`
	err = tx.QueryRow(ctx, sql, connectorID).Scan(&h.WaitingSince, &h.ConsecutiveFailures, &h.Waiting)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return h, fmt.Errorf("read how changes get through: %w", err)
	}
	const tasks = `
		select count(*) filter (where state in ('queued', 'blocked', 'running', 'retrying')),
		       count(*) filter (where state = 'failed'), count(*) filter (where state = 'manual'),
		       count(*) filter (where escalated_at is not null),
		           min(created_at) filter (where state in ('queued', 'running', 'retrying'))
		  from provisioning_task
		 where connector_id = $1
		   and mode <> 'simulate'
		   and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual')`
	if err := tx.QueryRow(ctx, tasks, connectorID).
		Scan(&h.OpenTasks, &h.FailedTasks, &h.ManualTasks, &h.OverdueLeavers, &h.OldestOpenAt); err != nil {
		return h, fmt.Errorf("count changes: %w", err)
	}
	return h, nil
}
