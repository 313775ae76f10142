package syncrun

import (
	"context"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Trigger is what a run is asked to do.
type Trigger struct {
	// Whether only what has changed since the last run is read, where that is possible (true), or everything (false).
	Incremental bool `json:"incremental,omitempty"`
	// Whether the run applies changes (apply) or only shows them (preview).
	Mode string `json:"mode,omitempty" enum:"apply,preview" default:"apply"`
	// Maximum number of people, and of accounts, to read. Null sets no limit. A limited run continues where the
	// connector's last limited run stopped, and never removes anything.
	MaxRecords *int `json:"max_records,omitempty" nullable:"true" minimum:"1"`
	// Number of records in a chunk, the unit of commit.
	ChunkSize int `json:"chunk_size,omitempty" minimum:"1" maximum:"10000" default:"500"`
	// Receives signed progress reports, at most one a second, and one when the run ends. Null sends none.
	CallbackURL *string `json:"callback_url,omitempty" nullable:"true" maxLength:"2048"`
}

// Started answers a trigger.
type Started struct {
	// ID of the sync run.
	RunID string `json:"run_id"`
	// Status of the sync run.
	Status Status `json:"status"`
	// URLs of the run and of related resources, by name.
	Links map[string]string `json:"links"`
	// Secret that verifies the callbacks of this connector (Standard Webhooks).
	CallbackSecret string `json:"callback_secret,omitempty"`
}

// Start enters a run. trigger says who wanted it: api, manual, schedule, wizard.
func (s *Service) Start(
	ctx context.Context,
	v viewer.Viewer,
	connectorID, trigger string,
	t Trigger,
) (run Run, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		run, err = s.Enter(ctx, tx, connectorID, trigger, t)
		return err
	})
	if AlreadyRunning(err) {
		return run, s.alreadyRunning(ctx, v, connectorID)
	}
	return run, err
}

// AlreadyRunning reports whether Enter failed because a run of the connector is active.
func AlreadyRunning(err error) bool { return pg.Violates(err, "sync_run_one_active") }

// Enter is Start inside a transaction, on behalf of its viewer: the run exists once the transaction commits. See
// AlreadyRunning for an error after which the transaction is of no use any more.
func (s *Service) Enter(ctx context.Context, tx *pg.Tx, connectorID, trigger string, t Trigger) (Run, error) {
	if t.ChunkSize == 0 {
		t.ChunkSize = 500
	}
	if t.Mode == "" {
		t.Mode = purposeApply
	}
	c, err := s.Connectors.Open(ctx, tx, connectorID)
	if err != nil {
		return Run{}, err
	}
	switch c.Status {
	case "paused", "disabled":
		return Run{}, fault.Coded(
			fault.Conflict,
			"connector_not_ready",
			"the connector is %s; resume it before it can be read",
			c.Status,
		)
	case "quarantined":
		return Run{}, fault.Coded(
			fault.Conflict,
			"connector_not_ready",
			"the connector is quarantined; clear the quarantine before it can be read",
		)
	}
	const sql = `
		insert into sync_run (tenant_id, id, connector_id, type, mode, agent_id, agent_group, trigger, incremental,
		                      purpose, max_records, chunk_size, callback_url, requested_by)
		select tenant_id, $1, id, $10, mode, agent_id, agent_group, $3, $4, $5, $6, $7, $8, $9
		  from connector
		 where id = $2`
	id, v := uuid.Must(uuid.NewV7()).String(), tx.Viewer
	_, err = tx.Exec(
		ctx,
		sql,
		id,
		connectorID,
		trigger,
		t.Incremental,
		t.Mode,
		t.MaxRecords,
		t.ChunkSize,
		t.CallbackURL,
		map[string]string{"type": string(v.Kind), "id": v.ID, "display": v.Display},
		c.Target.Type,
	)
	if err != nil {
		return Run{}, err
	}
	if err := audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "sync_run.started",
			Subject: audit.Subject{Type: "connector", ID: connectorID, Display: c.BusinessID},
			Context: map[string]any{
				"run_id":      id,
				"incremental": t.Incremental,
				"mode":        t.Mode,
				"trigger":     trigger,
			},
		},
	); err != nil {
		return Run{}, err
	}
	run, err := Find(ctx, tx, connectorID, id)
	if err != nil {
		return Run{}, err
	}
	return run, pg.Notify(ctx, tx, Channel, id)
}

// alreadyRunning is the fault for a connector that has an active run, with that run's ID. It runs
// in a transaction of its own, since the one that met the unique index is aborted.
func (s *Service) alreadyRunning(ctx context.Context, v viewer.Viewer, connectorID string) error {
	f := fault.Coded(
		fault.Conflict,
		"sync_already_running",
		"a run of this connector is active; wait for it or cancel it",
	)
	var id string
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			select id
			  from sync_run
			 where connector_id = $1
			   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')`
		return tx.QueryRow(ctx, sql, connectorID).Scan(&id)
	})
	if err != nil {
		return f // it has ended in between; trying again succeeds
	}
	return f.Also("run_id", id)
}
