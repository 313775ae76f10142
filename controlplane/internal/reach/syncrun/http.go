package syncrun

import (
	"context"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/openapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// Routes are the paths of sync runs.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/connectors/{id}/sync", "Start a sync run", s.trigger).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe("Returns at once; follow the sync run by its links, or receive its result at callback_url. A " +
				"connector has one active sync run at a time. A new sync run supersedes a held one and computes the " +
				"changes again.").
			WithOutgoing(progressCallback),
		httpapi.Handle("GET", "/connectors/{id}/sync-runs", "List sync runs", s.list).For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("GET", "/connectors/{id}/sync-runs/{run_id}", "Retrieve a sync run", s.read).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Stream("GET", "/connectors/{id}/sync-runs/{run_id}/events", "Stream the progress of a sync run",
			s.follow).
			For(viewer.Admin, viewer.Auditor).
			Describe("Server-sent events: sync.progress, and one of sync.held, sync.completed, sync.failed, " +
				"sync.cancelled at the end. The id of an event is the run's progress_seq."),
		httpapi.Handle("GET", "/connectors/{id}/sync-runs/{run_id}/errors", "List the record errors of a sync run",
			s.errors).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", "/connectors/{id}/sync-runs/{run_id}/cancel", "Cancel a sync run", s.cancelRun).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe("Merged changes stay; nothing is removed."),
	}
}

// progressCallback describes what is sent to the callback_url of a sync run.
var progressCallback = openapi.Outgoing{
	Name:    "progress",
	To:      "{$request.body#/callback_url}",
	Summary: "Progress of a sync run",
	Description: "At most one message a second while the sync run is active, each sent once, and one when it ends or " +
		"is held. The last one " +
		"is tried up to five times. Signed with callback_secret of the response.",
	Bodies: map[string]reflect.Type{"application/json": reflect.TypeFor[Progress]()},
}

// SyncTrigger is a Trigger as a client sends it.
type SyncTrigger struct {
	// true reads what has changed since the last run, if that is possible. false reads everything. The default is true
	// once the connector is connected.
	Incremental *bool `json:"incremental,omitempty"`
	Trigger
}

type triggerIn struct {
	// ID of the connector.
	ID   string       `path:"id"`
	Body *SyncTrigger // without a body, the defaults
}

type triggerOut struct {
	// Address of the new sync run.
	Location string `header:"Location"`
	Body     Started
}

// trigger is POST …/sync. An empty callback_url counts as none; others are checked before the run
// is written, so that a run never has an address that may not be called. The callback secret is
// returned with the run.
func (s *Service) trigger(ctx context.Context, v viewer.Viewer, in *triggerIn) (*triggerOut, error) {
	asked, err := s.asked(ctx, v, in)
	if err != nil {
		return nil, err
	}
	if asked.CallbackURL != nil && *asked.CallbackURL == "" {
		asked.CallbackURL = nil
	}
	if u := asked.CallbackURL; u != nil {
		if err := s.checkCallback(ctx, v, *u); err != nil {
			return nil, err
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

// checkCallback refuses an address that is not public, and a host that is not among those the tenant allows.
func (s *Service) checkCallback(ctx context.Context, v viewer.Viewer, address string) error {
	if err := s.Guard.CheckURL(ctx, address, "callback"); err != nil {
		return notAllowed("it must be an https address on the public network", "%v", err)
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return notAllowed("it must be an https address", "%v", err)
	}
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		t, err := tenant.Find(ctx, tx)
		if err == nil && !t.Settings.AllowsCallback(parsed.Hostname()) {
			err = notAllowed("use a host of the tenant setting callback_hosts, or add this one there",
				"%s is not among the allowed callback hosts of this tenant", parsed.Hostname())
		}
		return err
	})
}

// notAllowed is the fault for a callback address, with what to do about it.
func notAllowed(remedy, format string, args ...any) error {
	return fault.Coded(fault.Invalid, "destination_not_allowed", "Progress cannot be sent to this address: "+format,
		args...).
		With(fault.Field{Pointer: "#/callback_url", Code: "destination_not_allowed", Detail: remedy})
}

// asked is the trigger with its defaults: once a connector is connected, runs read what has changed unless the request
// says otherwise.
func (s *Service) asked(ctx context.Context, v viewer.Viewer, in *triggerIn) (t Trigger, err error) {
	if in.Body != nil {
		t = in.Body.Trigger
		if said := in.Body.Incremental; said != nil {
			t.Incremental = *said
			return t, nil
		}
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := connector.Find(ctx, tx, in.ID)
		t.Incremental = c.FunnelState == connector.Connected
		return err
	})
	return t, err
}

type listIn struct {
	// ID of the connector.
	ID string `path:"id"`
	httpapi.Paging
	// Sync runs with this status.
	Status string `query:"status" enum:"queued,waiting_agent,running,evaluating,held,applying,succeeded,partial,failed,cancelled,discarded,expired,previewed"`
}

// list is GET of a connector's runs, the newest first.
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

// connectorExists is nil if the viewer can see the connector, and otherwise a not_found fault.
func (s *Service) connectorExists(ctx context.Context, tx *pg.Tx, id string) error {
	missing := fault.New(fault.NotFound, "Connector %s was not found.", id)
	if uuid.Validate(id) != nil {
		return missing
	}
	var there bool
	if err := tx.QueryRow(ctx, `select exists (select from connector where id = $1 and deleted_at is null)`, id).
		Scan(&there); err != nil {
		return fmt.Errorf("find connector: %w", err)
	}
	if !there {
		return missing
	}
	return nil
}

type runIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the sync run.
	RunID string `path:"run_id"`
}

// runOut is the response with one run.
type runOut struct{ Body Run }

// read is GET of one run.
func (s *Service) read(ctx context.Context, v viewer.Viewer, in *runIn) (*runOut, error) {
	run, err := s.Find(ctx, v, in.ID, in.RunID)
	return &runOut{run}, err
}

// follow sends the run's state whenever it has changed. A client that was cut off connects again and gets the present
// state first, so it misses nothing that matters. A run that is held may stay so for days; the stream ends there.
func (s *Service) follow(
	ctx context.Context,
	v viewer.Viewer,
	in *runIn,
) (func(context.Context, *sse.Events) error, error) {
	if _, err := s.Find(ctx, v, in.ID, in.RunID); err != nil {
		return nil, err
	}
	return func(ctx context.Context, e *sse.Events) error {
		var told int64 = -1
		quiet := time.Now()
		for {
			run, err := s.Find(ctx, v, in.ID, in.RunID)
			if err != nil {
				return err
			}
			if run.ProgressSeq != told {
				told, quiet = run.ProgressSeq, time.Now()
				p := run.Progress(s.Now())
				if err := e.Send(p.Event, strconv.FormatInt(p.Seq, 10), p); err != nil {
					return err
				}
			}
			if run.Status.Ended() || run.Status == Held {
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
			case <-time.After(500 * time.Millisecond):
			}
		}
	}, nil
}

type errorsIn struct {
	// ID of the connector.
	ID string `path:"id"`
	// ID of the sync run.
	RunID string `path:"run_id"`
	httpapi.Paging
	// Errors of this kind of record.
	Object string `query:"object" enum:"identity,account,entitlement,grant"`
	// Errors with this code.
	Code string `query:"code" maxLength:"64"`
}

// errors is GET of the records that a run could not use, in the order in which they were met.
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
	return httpapi.Out(
		walk,
		found,
		total,
		func(e RecordError) []string { return []string{strconv.FormatInt(e.N, 10)} },
	), nil
}
