package onboard

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// facts are what the steps are computed from.
type facts struct {
	connector connector.Connector
	missing   []fault.Field
	snapshot  *fieldmap.SchemaSnapshot // nil: no discovery has run
	seen      map[[2]string]bool       // the snapshot's fields, by kind of object and name
	rules     []mapping.Mapping
	version   int
	proposals []mapping.Mapping
	sources   []fieldmap.CopySource
	run       *syncrun.Run // the newest one
	others    bool         // another connector was connected before this one
}

func (s *Service) facts(ctx context.Context, tx *pg.Tx, id string) (f facts, err error) {
	if f.connector, err = connector.Find(ctx, tx, id); err != nil {
		return f, err
	}
	if f.missing, err = s.Connectors.Missing(ctx, tx, id); err != nil {
		return f, err
	}
	stored, version, err := fieldmap.Rules(ctx, tx, id)
	if err != nil {
		return f, err
	}
	f.version = version
	for _, m := range stored {
		f.rules = append(f.rules, m.Mapping)
	}
	if err := f.look(ctx, tx, s.Fields); err != nil {
		return f, err
	}
	if f.run, err = newest(ctx, tx, id); err != nil {
		return f, err
	}
	f.others, err = connectedBefore(ctx, tx, id)
	return f, err
}

// connectedBefore is true when a run of another connector, be it deleted since, succeeded before the first of this one
// did.
func connectedBefore(ctx context.Context, tx *pg.Tx, id string) (is bool, err error) {
	const sql = `
		with first as (
		    select r.connector_id, min(r.finished_at) as at
		      from sync_run r
		     where r.purpose = 'apply' and r.status in ('succeeded', 'partial')
		     group by r.connector_id
		)
		select exists (select from first o
		                where o.connector_id <> $1
		                  and o.at < coalesce((select f.at from first f where f.connector_id = $1), now()))`
	if err := tx.QueryRow(ctx, sql, id).Scan(&is); err != nil {
		return false, fmt.Errorf("look for connectors that were connected before: %w", err)
	}
	return is, nil
}

// look adds the facts of the snapshot, if there is one.
func (f *facts) look(ctx context.Context, tx *pg.Tx, fields *fieldmap.Service) error {
	snap, err := fieldmap.Current(ctx, tx, f.connector.ID)
	f.sources, f.seen = []fieldmap.CopySource{}, map[[2]string]bool{}
	switch {
	case fault.IsCode(err, discoveryRequired):
		return nil
	case err != nil:
		return err
	}
	f.snapshot = &snap
	for _, o := range snap.Objects {
		for _, field := range o.Fields {
			f.seen[[2]string{o.Kind, field.Name}] = true
		}
	}
	if f.proposals, err = fields.Propose(ctx, tx, f.connector, snap); err != nil {
		return err
	}
	f.sources, err = fieldmap.Sources(ctx, tx, f.connector, snap)
	return err
}

func newest(ctx context.Context, tx *pg.Tx, connectorID string) (*syncrun.Run, error) {
	var id string
	err := tx.QueryRow(ctx, `select r.id from sync_run r where r.connector_id = $1 order by r.id desc
		limit 1`, connectorID).
		Scan(&id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find newest run: %w", err)
	}
	run, err := syncrun.Find(ctx, tx, connectorID, id)
	return &run, err
}

// refuse is a fault of kind Conflict while a step before the first sync is missing, or when there was one already.
func (f facts) refuse() error {
	if f.connector.FunnelState == connector.Connected {
		return fault.Coded(
			fault.Conflict,
			"first_sync_done",
			"the first sync has succeeded already; start others by POST /connectors/{id}/sync",
		)
	}
	missing := f.lacking(testRequired, discoveryRequired, mappingRequired)
	if len(missing) == 0 {
		return nil
	}
	why := map[string]string{
		connectorIncomplete: "the connector lacks settings; give them by PATCH first",
		testRequired:        "the connection must be tested with its present settings first",
		discoveryRequired:   "the fields of the target were not discovered yet; discover them first",
		mappingRequired:     "the fields have no mappings; accept the proposals, or save mappings first",
	}
	if p := f.untested(); missing[0] == testRequired && p != nil {
		why[testRequired] += ": " + p.Detail
	}
	return fault.Coded(fault.Conflict, missing[0], "%s", why[missing[0]]).With(f.missing...).Also("missing", missing)
}

// FirstSync is how the first sync goes about it.
type FirstSync struct {
	// Records in a chunk, the unit of commit.
	ChunkSize int `json:"chunk_size,omitempty" minimum:"1" maximum:"10000" default:"500"`
}

type firstIn struct {
	ID   string `path:"id"`
	Body *FirstSync
}

type firstOut struct {
	Location string `header:"Location"`
	Body     syncrun.Started
}

func (s *Service) firstSync(ctx context.Context, v viewer.Viewer, in *firstIn) (*firstOut, error) {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		f, err := s.facts(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		return f.refuse()
	})
	if err != nil {
		return nil, err
	}
	var t syncrun.Trigger
	if in.Body != nil {
		t.ChunkSize = in.Body.ChunkSize
	}
	run, err := s.Runs.Start(ctx, v, in.ID, "wizard", t)
	if err != nil {
		return nil, err
	}
	return &firstOut{
		Location: run.Links["self"],
		Body:     syncrun.Started{RunID: run.ID, Status: run.Status, Links: run.Links},
	}, nil
}
