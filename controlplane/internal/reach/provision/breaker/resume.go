package breaker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// wakeLanes lets connectors that wait for a user be evaluated now: one of them, or all.
func wakeLanes(ctx context.Context, tx *pg.Tx, connectorID string) error {
	const sql = `update provisioning_lane set wait_until = null where wait_code is null and wait_until is not null
		and ($1 = '' or connector_id::text = $1)`
	if err := pg.Exec(ctx, tx, "wake connectors", sql, connectorID); err != nil {
		return err
	}
	return pg.Notify(ctx, tx, taskstore.Channel, tx.Viewer.Tenant)
}

// BreakerReset is a connector's breaker after it was reset.
type BreakerReset struct {
	// ID of the connector.
	ConnectorID string `json:"connector_id"`
	// Tasks that go on now.
	Waiting int64 `json:"waiting"`
}

type connectorIn struct {
	// ID of the connector.
	ID string `path:"id"`
}

// breakerOut is the response of a reset.
type breakerOut struct{ Body BreakerReset }

// resetBreaker is POST …/breaker/reset. It closes the circuit breaker and wakes the connector's
// lane.
func (s *Service) resetBreaker(ctx context.Context, v viewer.Viewer, in *connectorIn) (*breakerOut, error) {
	out := &breakerOut{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out.Body, err = ResumeWrites(ctx, tx, in.ID, "")
		return err
	})
	return out, err
}

// ResumeWrites closes the breaker of a connector. comment, which may be empty, says why.
func ResumeWrites(ctx context.Context, tx *pg.Tx, id, comment string) (out BreakerReset, err error) {
	const sql = `
		with open as (
		    select connector_id, breaker_reason, breaker_open_since from connector_provisioning
		        where connector_id::text = lower($1) and breaker_open_since is not null for update
		)
		update connector_provisioning p
		   set breaker_open_since = null, breaker_reason = null, updated_at = now()
		  from open
		 where p.connector_id = open.connector_id
		returning coalesce(open.breaker_reason, ''), open.breaker_open_since`
	const anew = `update provisioning_lane set counted_from = now() where connector_id::text = lower($1)`
	const waits = `select count(*) from provisioning_task where connector_id::text = lower($1) and state in ('queued',
		'retrying')`
	out.ConnectorID = id
	name, err := ability.FindBusinessID(ctx, tx, id)
	if err != nil {
		return out, err
	}
	var reason string
	var since time.Time
	switch err := tx.QueryRow(ctx, sql, id).Scan(&reason, &since); {
	case errors.Is(err, pgx.ErrNoRows):
		return out, fault.Coded(fault.Conflict, "invalid_transition", "the breaker is not open").
			Also("allowed", []string{})
	case err != nil:
		return out, fmt.Errorf("reset breaker: %w", err)
	}
	if err := pg.Exec(ctx, tx, "reset breaker", anew, id); err != nil {
		return out, err
	}
	if err := wakeLanes(ctx, tx, id); err != nil {
		return out, err
	}
	if err := tx.QueryRow(ctx, waits, id).Scan(&out.Waiting); err != nil {
		return out, fmt.Errorf("count tasks: %w", err)
	}
	if err := announce(ctx, tx, event.WritesResumed, id, reason, since); err != nil {
		return out, err
	}
	return out, audit.Record(ctx, tx, audit.Entry{Action: "connector.breaker_reset", Reason: comment,
		Subject: audit.Subject{Type: "connector", ID: id, Display: name}, Context: map[string]any{"was": reason}})
}
