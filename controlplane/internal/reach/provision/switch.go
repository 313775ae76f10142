package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Switch says whether anything is written to the tenant's targets at all.
type Switch struct {
	Writes    bool            `json:"writes"`
	Reason    *string         `json:"reason"`
	ChangedBy json.RawMessage `json:"changed_by"`
	ChangedAt *time.Time      `json:"changed_at"`
	Version   int             `json:"version"`
}

// SwitchSettings switches writing off or on.
type SwitchSettings struct {
	Writes bool   `json:"writes" doc:"false: nothing is sent to any target of the tenant."`
	Reason string `json:"reason,omitempty" maxLength:"2000" doc:"Why; needed to switch it off. It is shown at every task that waits, and goes into the audit log."`
}

type switchOut = httpapi.One[Switch]

func findSwitch(ctx context.Context, tx *pg.Tx, locking string) (s Switch, err error) {
	sql := `select writes, reason, changed_by, changed_at,
		version from provisioning_switch where tenant_id = current_tenant() ` + locking
	err = tx.QueryRow(ctx, sql).Scan(&s.Writes, &s.Reason, &s.ChangedBy, &s.ChangedAt, &s.Version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Switch{Writes: true, ChangedBy: json.RawMessage(`null`)}, nil
	case err != nil:
		return s, fmt.Errorf("read the switch: %w", err)
	}
	return s, nil
}

func (s *Service) readSwitch(ctx context.Context, v viewer.Viewer, _ *struct{}) (out *switchOut, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := findSwitch(ctx, tx, "")
		out = &switchOut{ETag: httpapi.ETag(found.Version), Body: found}
		return err
	})
	return out, err
}

type putSwitchIn struct {
	httpapi.IfMatch
	Body SwitchSettings
}

func (s *Service) putSwitch(ctx context.Context, v viewer.Viewer, in *putSwitchIn) (out *switchOut, err error) {
	if !in.Body.Writes && in.Body.Reason == "" {
		return nil, lacking("reason", "give a reason: it is shown wherever tasks wait")
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := findSwitch(ctx, tx, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		if before.Writes != in.Body.Writes || orEmpty(before.Reason) != in.Body.Reason {
			if err := flip(ctx, tx, before, in.Body); err != nil {
				return err
			}
		}
		after, err := findSwitch(ctx, tx, "")
		out = &switchOut{ETag: httpapi.ETag(after.Version), Body: after}
		return err
	})
	return out, err
}

func flip(ctx context.Context, tx *pg.Tx, before Switch, to SwitchSettings) error {
	const sql = `
		insert into provisioning_switch as s (tenant_id, writes, reason, changed_by)
		values (current_tenant(), $1, nullif($2, ''), $3)
		    on conflict (tenant_id) do update
		   set writes = excluded.writes, reason = excluded.reason, changed_by = excluded.changed_by, changed_at = now(),
		       version = s.version + 1`
	if _, err := tx.Exec(ctx, sql, to.Writes, to.Reason, maker(tx)); err != nil {
		return fmt.Errorf("write the switch: %w", err)
	}
	if to.Writes {
		if err := wakeLanes(ctx, tx, ""); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: "provisioning.switched",
		Reason: to.Reason,
		Subject: audit.Subject{
			Type: "tenant",
			ID:   tx.Viewer.Tenant,
		},
		Changes: []audit.Change{{Field: "writes", From: before.Writes, To: to.Writes}},
	})
}

// wakeLanes lets connectors that wait for somebody to act be looked at now: one of them, or all.
func wakeLanes(ctx context.Context, tx *pg.Tx, connectorID string) error {
	const sql = `update provisioning_lane set wait_until = null where wait_code is null and wait_until is not null
		and ($1 = '' or connector_id::text = $1)`
	if _, err := tx.Exec(ctx, sql, connectorID); err != nil {
		return fmt.Errorf("wake connectors: %w", err)
	}
	return pg.Notify(ctx, tx, channel, tx.Viewer.Tenant)
}

// BreakerReset is a connector's breaker after it was reset.
type BreakerReset struct {
	ConnectorID string `json:"connector_id"`
	Open        bool   `json:"open"`
	Waiting     int64  `json:"waiting" doc:"Tasks that go on now."`
}

type breakerOut struct{ Body BreakerReset }

func (s *Service) resetBreaker(ctx context.Context, v viewer.Viewer, in *oneIn) (*breakerOut, error) {
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
	name, err := connectorName(ctx, tx, id)
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
	if _, err := tx.Exec(ctx, anew, id); err != nil {
		return out, fmt.Errorf("reset breaker: %w", err)
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
