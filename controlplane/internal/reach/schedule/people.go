package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// mostAtOnce is how many connectors one request may start.
const mostAtOnce = 100

// PeopleSync names what is to be read again.
type PeopleSync struct {
	// The default is all sources of people that can be read.
	ConnectorIDs []string `json:"connector_ids,omitempty" maxItems:"100"`
	// Whether only what has changed is read, where that is possible (true), or everything (false).
	Incremental *bool `json:"incremental,omitempty" default:"true"`
}

// PeopleSyncRuns are the runs that bring people up to date.
type PeopleSyncRuns struct {
	// Outcome for each connector concerned.
	Runs []PeopleSyncRun `json:"runs" nullable:"false"`
}

// PeopleSyncRun is the run of one connector, or why there is none.
type PeopleSyncRun struct {
	// ID of the connector that reads people.
	ConnectorID string `json:"connector_id"`
	// Business ID of the connector that reads people.
	ConnectorBusinessID string `json:"connector_business_id"`
	// Whether a run was started, one was active before, or the connector cannot run (not_ready).
	Outcome string `json:"outcome" enum:"started,already_running,not_ready"`
	// ID of the started or active sync run; null when there is none.
	RunID *string `json:"run_id"`
	// Of a run that was started.
	Status *string `json:"status"`
	// Why there is no new run.
	Detail string `json:"detail,omitempty"`
	// URLs of the sync run, by name; absent when there is none.
	Links map[string]string `json:"links,omitempty"`
}

type peopleOut struct{ Body PeopleSyncRuns }

type personIn struct {
	ID string `path:"id"`
}

// source is a connector to be read.
type source struct {
	ID         string `db:"id"`
	BusinessID string `db:"business_id"`
}

func (s *Service) syncPerson(ctx context.Context, v viewer.Viewer, in *personIn) (*peopleOut, error) {
	const sql = `
		select c.id, c.business_id
		  from connector c
		 where c.tenant_id = current_tenant()
		   and c.deleted_at is null
		   and (exists (select from identity_source o where o.tenant_id = c.tenant_id and o.connector_id = c.id
		       and o.identity_id = $1)
		        or exists (select from account a
		                    where a.tenant_id = c.tenant_id and a.connector_id = c.id and a.identity_id = $1
		                        and a.status <> 'deleted'))
		 order by c.created_at, c.id
		 limit $2`
	var found []source
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err := identity.Find(ctx, tx, in.ID); err != nil {
			return err
		}
		found, err = sources(ctx, tx, sql, in.ID, mostAtOnce)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fault.Coded(
			fault.Conflict,
			"no_source",
			"no connector can refresh this person: they were added manually and have no account",
		)
	}
	return s.start(ctx, v, found, true)
}

type peopleIn struct {
	Body *PeopleSync // without a body: all sources, what has changed
}

func (s *Service) syncPeople(ctx context.Context, v viewer.Viewer, in *peopleIn) (*peopleOut, error) {
	asked := PeopleSync{}
	if in.Body != nil {
		asked = *in.Body
	}
	var found []source
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if len(asked.ConnectorIDs) > 0 {
			found, err = named(ctx, tx, asked.ConnectorIDs)
		} else {
			found, err = all(ctx, tx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.start(ctx, v, found, asked.Incremental == nil || *asked.Incremental)
}

func sources(ctx context.Context, tx *pg.Tx, sql string, args ...any) ([]source, error) {
	return pg.All[source](ctx, tx, "find connectors", sql, args...)
}

// all are the sources of people that can be read.
func all(ctx context.Context, tx *pg.Tx) ([]source, error) {
	const sql = `
		select c.id, c.business_id
		  from connector c
		 where c.tenant_id = current_tenant()
		   and c.deleted_at is null
		   and c.purpose in ('source', 'both')
		   and c.status in ('ready', 'active', 'degraded')
		 order by c.created_at, c.id
		 limit $1`
	found, err := sources(ctx, tx, sql, mostAtOnce+1)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fault.Coded(
			fault.Conflict,
			"no_source",
			"no source of people can be read: there is none, or none is ready",
		)
	case len(found) > mostAtOnce:
		return nil, fault.New(fault.Invalid, "there are more than %d sources of people; name those that are to be read",
			mostAtOnce).
			With(fault.Field{Pointer: "#/connector_ids", Code: "required",
				Detail: fmt.Sprintf("name %d at most", mostAtOnce)})
	}
	return found, nil
}

// named finds the connectors of a list, in its order.
func named(ctx context.Context, tx *pg.Tx, ids []string) ([]source, error) {
	var proper []string
	for _, id := range ids {
		if listing.IsID(id) {
			proper = append(proper, id)
		}
	}
	const sql = `
		select c.id, c.business_id
		  from connector c
		 where c.tenant_id = current_tenant()
		   and c.deleted_at is null
		   and c.id = any ($1)`
	found, err := sources(ctx, tx, sql, proper)
	if err != nil {
		return nil, err
	}
	var ordered []source
	var wrong []fault.Field
	for i, id := range ids {
		at := slices.IndexFunc(found, func(c source) bool { return c.ID == id })
		switch {
		case at < 0:
			wrong = append(
				wrong,
				fault.Field{
					Pointer: fmt.Sprintf("#/connector_ids/%d", i),
					Code:    "unknown_connector",
					Detail:  "there is no connector with this id",
				},
			)
		case !slices.Contains(ordered, found[at]):
			ordered = append(ordered, found[at])
		}
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Invalid, "some of these connectors do not exist; nothing was started").
			With(wrong...)
	}
	return ordered, nil
}

// start starts a run of each connector, each by itself. It is a fault of kind Conflict when there is not one run to
// follow.
func (s *Service) start(
	ctx context.Context,
	v viewer.Viewer,
	connectors []source,
	readsChanges bool,
) (*peopleOut, error) {
	out := &peopleOut{Body: PeopleSyncRuns{Runs: []PeopleSyncRun{}}}
	follow := false
	for _, c := range connectors {
		run := PeopleSyncRun{ConnectorID: c.ID, ConnectorBusinessID: c.BusinessID}
		entered, err := s.Runs.Start(ctx, v, c.ID, "api", syncrun.Trigger{Incremental: readsChanges})
		var f *fault.Fault
		switch {
		case err == nil:
			status := string(entered.Status)
			run.Outcome, run.RunID, run.Status, run.Links = started, &entered.ID, &status, entered.Links
			follow = true
		case errors.As(err, &f) && f.Code == "sync_already_running":
			run.Outcome, run.Detail = "already_running", f.Message
			if id, known := f.Extra["run_id"].(string); known {
				self := "/api/v1/connectors/" + c.ID + "/sync-runs/" + id
				run.RunID, run.Links = &id, map[string]string{"self": self, "events": self + "/events"}
			}
			follow = true
		case errors.As(err, &f) && (f.Kind == fault.Conflict || f.Kind == fault.NotFound):
			run.Outcome, run.Detail = "not_ready", f.Message
		default:
			return nil, err
		}
		out.Body.Runs = append(out.Body.Runs, run)
	}
	if !follow {
		return nil, fault.Coded(fault.Conflict, "connector_not_ready", "none of the connectors can be read now: %s",
			out.Body.Runs[0].Detail).
			Also("runs", out.Body.Runs)
	}
	return out, nil
}
