package syncrun

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Routes of the room.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/connectors/{id}/sync", "Start reading a target system", s.trigger).For(viewer.Admin).Status(202).Errors(409).
			Describe("Answers at once; follow the run by its links, or let it report to callback_url. One run of a connector is active at a time."),
		httpapi.Handle("GET", "/connectors/{id}/sync-runs", "List a connector's runs", s.list).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("GET", "/connectors/{id}/sync-runs/{run_id}", "Read a run", s.read).For(viewer.Admin, viewer.Auditor),
		httpapi.Stream("GET", "/connectors/{id}/sync-runs/{run_id}/events", "Follow a run as it goes", s.follow).For(viewer.Admin, viewer.Auditor).
			Describe("Server-sent events: sync.progress, and one of sync.completed, sync.failed, sync.cancelled at the end. The id of an event is the run's progress_seq."),
		httpapi.Handle("GET", "/connectors/{id}/sync-runs/{run_id}/errors", "List what a run could not use", s.errors).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", "/connectors/{id}/sync-runs/{run_id}/cancel", "Cancel a run", s.cancelRun).For(viewer.Admin).Status(202).Errors(409).
			Describe("What had been merged stays; nothing is removed."),
	}
}

// Trigger is what a run is asked to do.
type Trigger struct {
	Incremental bool    `json:"incremental,omitempty" doc:"false reads everything"`
	MaxRecords  *int    `json:"max_records,omitempty" minimum:"1" doc:"people at most, and accounts at most; null: no cap. A capped run never proves that anything is gone."`
	ChunkSize   int     `json:"chunk_size,omitempty" minimum:"1" maximum:"10000" default:"500" doc:"records in a chunk, the unit of commit"`
	CallbackURL *string `json:"callback_url,omitempty" maxLength:"2048" doc:"progress is sent here, signed, at most once a second and surely at the end"`
}

// Started answers a trigger.
type Started struct {
	RunID          string            `json:"run_id"`
	Status         Status            `json:"status"`
	Links          map[string]string `json:"links"`
	CallbackSecret string            `json:"callback_secret,omitempty" doc:"verifies the callbacks of this connector (Standard Webhooks)"`
}

type triggerIn struct {
	ID   string   `path:"id"`
	Body *Trigger // without a body, the defaults
}

type triggerOut struct {
	Location string `header:"Location"`
	Body     Started
}

func (s *Service) trigger(ctx context.Context, v viewer.Viewer, in *triggerIn) (*triggerOut, error) {
	var asked Trigger
	if in.Body != nil {
		asked = *in.Body
	}
	if asked.CallbackURL != nil && *asked.CallbackURL == "" {
		asked.CallbackURL = nil
	}
	if u := asked.CallbackURL; u != nil {
		if err := s.Guard.CheckURL(ctx, *u, "callback"); err != nil {
			return nil, fault.Coded(fault.Invalid, "destination_not_allowed", "progress cannot be sent to this address: %v", err).
				With(fault.Field{Pointer: "#/callback_url", Code: "destination_not_allowed", Detail: "it must be an https address on the public network"})
		}
	}
	run, err := s.Start(ctx, v, in.ID, "api", asked)
	if err != nil {
		return nil, err
	}
	out := &triggerOut{Location: run.Links["self"], Body: Started{RunID: run.ID, Status: run.Status, Links: run.Links}}
	if run.CallbackURL != nil {
		out.Body.CallbackSecret = s.CallbackSecret(v.Tenant, in.ID)
	}
	return out, nil
}

// Start enters a run. trigger says who wanted it: api, manual, schedule, wizard.
func (s *Service) Start(ctx context.Context, v viewer.Viewer, connectorID, trigger string, t Trigger) (run Run, err error) {
	if t.ChunkSize == 0 {
		t.ChunkSize = 500
	}
	id := uuid.Must(uuid.NewV7()).String()
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := s.Connectors.Open(ctx, tx, connectorID)
		if err != nil {
			return err
		}
		if c.Status == "paused" || c.Status == "disabled" || c.Status == "quarantined" {
			return fault.Coded(fault.Conflict, "connector_not_ready", "the connector is %s; resume it before it can be read", c.Status)
		}
		const sql = `
			insert into sync_run (tenant_id, id, connector_id, type, mode, agent_id, agent_group, trigger, incremental, fallback_reason, max_records,
			                      chunk_size, callback_url, requested_by)
			select tenant_id, $1, id, type, mode, agent_id, agent_group, $3, $4, $5, $6, $7, $8, $9
			  from connector
			 where id = $2`
		var fallback *string
		if t.Incremental {
			why := "reading only what changed is not available yet; everything is read"
			fallback = &why
		}
		_, err = tx.Exec(ctx, sql, id, connectorID, trigger, t.Incremental, fallback, t.MaxRecords, t.ChunkSize, t.CallbackURL,
			encode(map[string]string{"type": string(v.Kind), "id": v.ID, "display": v.Display}))
		if err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, audit.Entry{Action: "sync_run.started", Subject: audit.Subject{Type: "connector", ID: connectorID, Display: c.BusinessID},
			Context: map[string]any{"run_id": id, "incremental": t.Incremental}}); err != nil {
			return err
		}
		if run, err = Find(ctx, tx, connectorID, id); err != nil {
			return err
		}
		return pg.Notify(ctx, tx, channel, id)
	})
	if pg.Violates(err, "sync_run_one_active") {
		return run, s.alreadyRunning(ctx, v, connectorID)
	}
	return run, err
}

func (s *Service) alreadyRunning(ctx context.Context, v viewer.Viewer, connectorID string) error {
	f := fault.Coded(fault.Conflict, "sync_already_running", "a run of this connector is active; wait for it or cancel it")
	var id string
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			select id
			  from sync_run
			 where connector_id = $1
			   and status in ('queued', 'waiting_agent', 'running', 'evaluating', 'held', 'applying')`
		return tx.QueryRow(ctx, sql, connectorID).Scan(&id)
	})
	if err != nil {
		return f // it has ended in between; trying again succeeds
	}
	return f.Also("run_id", id)
}

type listIn struct {
	ID string `path:"id"`
	httpapi.Paging
	Status string `query:"status" enum:"queued,waiting_agent,running,applying,succeeded,partial,failed,cancelled"`
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Run], error) {
	walk, err := s.Cursors.Walk(v, "sync_runs."+in.ID, in.Paging, in.Status)
	if err != nil {
		return nil, err
	}
	var runs []Run
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := s.connectorExists(ctx, tx, in.ID); err != nil {
			return err
		}
		runs, total, err = list(ctx, tx, in.ID, in.Status, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, runs, total, func(r Run) []string { return []string{r.ID} }), nil
}

func (s *Service) connectorExists(ctx context.Context, tx *pg.Tx, id string) error {
	missing := fault.New(fault.NotFound, "there is no connector %s", id)
	if uuid.Validate(id) != nil {
		return missing
	}
	var there bool
	if err := tx.QueryRow(ctx, `select exists (select from connector where id = $1 and deleted_at is null)`, id).Scan(&there); err != nil {
		return fmt.Errorf("find connector: %w", err)
	}
	if !there {
		return missing
	}
	return nil
}

type runIn struct {
	ID    string `path:"id"`
	RunID string `path:"run_id"`
}

type runOut struct{ Body Run }

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *runIn) (*runOut, error) {
	run, err := s.find(ctx, v, in.ID, in.RunID)
	return &runOut{run}, err
}

// follow sends the run's state whenever it has changed. A client that was cut off connects again and gets the present state
// first, so it misses nothing that matters.
func (s *Service) follow(ctx context.Context, v viewer.Viewer, in *runIn) (func(context.Context, *httpapi.Events) error, error) {
	if _, err := s.find(ctx, v, in.ID, in.RunID); err != nil {
		return nil, err
	}
	return func(ctx context.Context, e *httpapi.Events) error {
		var told int64 = -1
		quiet := time.Now()
		for {
			run, err := s.find(ctx, v, in.ID, in.RunID)
			if err != nil {
				return err
			}
			if run.ProgressSeq != told {
				told, quiet = run.ProgressSeq, time.Now()
				p := run.progress(s.Now())
				if err := e.Send(p.Event, strconv.FormatInt(p.Seq, 10), p); err != nil {
					return err
				}
			}
			if run.Status.Ended() {
				return nil
			}
			if time.Since(quiet) > 15*time.Second {
				quiet = time.Now()
				if err := e.Ping(); err != nil {
					return err
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(250 * time.Millisecond):
			}
		}
	}, nil
}

type errorsIn struct {
	ID    string `path:"id"`
	RunID string `path:"run_id"`
	httpapi.Paging
	Object string `query:"object" enum:"identity,account,entitlement,grant"`
	Code   string `query:"code" maxLength:"64"`
}

func (s *Service) errors(ctx context.Context, v viewer.Viewer, in *errorsIn) (*httpapi.ListOut[RecordError], error) {
	walk, err := s.Cursors.Walk(v, "sync_errors."+in.RunID, in.Paging, []string{in.Object, in.Code})
	if err != nil {
		return nil, err
	}
	var found []RecordError
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := Find(ctx, tx, in.ID, in.RunID); err != nil {
			return err
		}
		found, total, err = listErrors(ctx, tx, in.RunID, in.Object, in.Code, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, found, total, func(e RecordError) []string { return []string{strconv.FormatInt(e.N, 10)} }), nil
}

func (s *Service) cancelRun(ctx context.Context, v viewer.Viewer, in *runIn) (*runOut, error) {
	var run Run
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if run, err = Find(ctx, tx, in.ID, in.RunID); err != nil {
			return err
		}
		if run.Status.Ended() {
			return fault.Coded(fault.Conflict, "invalid_transition", "the run is %s already", run.Status).Also("allowed", []string{})
		}
		if err := askToCancel(ctx, tx, in.RunID); err != nil {
			return err
		}
		if err := audit.Record(ctx, tx, audit.Entry{Action: "sync_run.cancel_requested", Subject: audit.Subject{Type: "sync_run", ID: in.RunID},
			Context: map[string]any{"connector_id": in.ID}}); err != nil {
			return err
		}
		run, err = Find(ctx, tx, in.ID, in.RunID)
		return err
	})
	return &runOut{run}, err
}

// askToCancel ends a run at once that nobody works on, and tells the worker of any other.
func askToCancel(ctx context.Context, tx *pg.Tx, run string) error {
	const idle = `
		update sync_run
		   set status = 'cancelled', phase = 'finish', finished_at = now(), updated_at = now(), progress_seq = progress_seq + 1, lease_until = null,
		       callback_state = case when callback_url is not null then 'pending' end, callback_next_at = now(),
		       error = '{"class": "cancelled", "code": "cancelled", "message": "the run was cancelled before it began", "retryable": false}'
		 where id = $1
		   and status in ('queued', 'waiting_agent')
		   and lease_owner is null`
	const busy = `
		update sync_run
		   set cancel_requested = true, updated_at = now()
		 where id = $1
		   and status in ('queued', 'running', 'evaluating', 'applying')`
	batch := &pgx.Batch{}
	batch.Queue(idle, run)
	batch.Queue(busy, run)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("cancel run: %w", err)
	}
	return pg.Notify(ctx, tx, channel, run)
}
