package fieldmap

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
)

func (s *Service) schema(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[SchemaSnapshot], error) {
	var out SchemaSnapshot
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = Current(ctx, tx, in.ID)
		return err
	})
	return &httpapi.One[SchemaSnapshot]{Body: out}, err
}

type snapshotIn struct {
	ID         string `path:"id"`
	SnapshotID string `path:"snapshot_id"`
}

func (s *Service) snapshot(ctx context.Context, v viewer.Viewer, in *snapshotIn) (*httpapi.One[SchemaSnapshot], error) {
	var out SchemaSnapshot
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = Snapshot(ctx, tx, in.ID, in.SnapshotID)
		return err
	})
	return &httpapi.One[SchemaSnapshot]{Body: out}, err
}

// SnapshotSummary is a look at a target without its fields.
type SnapshotSummary struct {
	// ID of the schema snapshot.
	ID string `json:"id" db:"id"`
	// Origin of the snapshot: the onboarding wizard, a later discovery (rediscover), or an automatic one (auto).
	Source string `json:"source" db:"source" enum:"wizard,rediscover,auto"`
	// Time the snapshot was taken.
	TakenAt time.Time `json:"taken_at" db:"taken_at"`
	// Digest of the schema, which changes when names or types of fields change.
	Digest string `json:"digest" db:"digest"`
	// How many fields it showed.
	Fields int `json:"fields" db:"fields"`
	// Whether the mappings refer to this snapshot.
	Current bool `json:"current" db:"current"`
}

type snapshotsIn struct {
	ID string `path:"id"`
	httpapi.Paging
}

func (s *Service) snapshots(
	ctx context.Context,
	v viewer.Viewer,
	in *snapshotsIn,
) (*httpapi.ListOut[SnapshotSummary], error) {
	walk, err := s.Cursors.Walk(v, "schema_snapshots", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	var items []SnapshotSummary
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err := connector.Find(ctx, tx, in.ID); err != nil {
			return err
		}
		items, total, err = summaries(ctx, tx, in.ID, walk.Page)
		return err
	})
	return httpapi.Out(
		walk,
		items,
		total,
		func(s SnapshotSummary) []string { return []string{s.TakenAt.Format(time.RFC3339Nano), s.ID} },
	), err
}

func summaries(
	ctx context.Context,
	tx *pg.Tx,
	connectorID string,
	page pg.Page,
) (items []SnapshotSummary, total int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from schema_snapshot where connector_id = $1`, connectorID).
		Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count snapshots: %w", err)
	}
	args := []any{connectorID, page.Limit + 1, page.Offset, nil, nil}
	if page.After != nil {
		args[3], args[4] = page.After[0], page.After[1]
	}
	const sql = `
		select s.id, s.source, s.taken_at, s.digest, coalesce(c.schema_snapshot_id = s.id, false) as current,
		       (select coalesce(sum(jsonb_array_length(o->'fields')), 0)::int
		           from jsonb_array_elements(s.objects) o) as fields
		  from schema_snapshot s
		  join connector c on c.tenant_id = s.tenant_id and c.id = s.connector_id
		 where s.connector_id = $1
		   and ($4::timestamptz is null or (s.taken_at, s.id) < ($4, $5::uuid))
		 order by s.taken_at desc, s.id desc
		 limit $2 offset $3`
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list snapshots: %w", err)
	}
	items, err = pgx.CollectRows(rows, pgx.RowToStructByName[SnapshotSummary])
	return items, total, err
}
