package planner

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Refresh finds out what can be changed through connectors that are new, whose settings have changed, or that were
// tested since.
func (p *Planner) Refresh(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select c.id::text, c.version, c.last_test ->> 'at'
		  from connector c
		  left join provisioning_lane l on l.tenant_id = c.tenant_id and l.connector_id = c.id
		 where c.deleted_at is null
		   and c.status <> 'draft'
		   and (l.ops_version is distinct from c.version or l.ops_test is distinct from c.last_test ->> 'at')`
	all, err := pg.AllBy(ctx, tx, "find changed connectors", pgx.RowToStructByPos[changedConnector], sql)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := p.probe(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}

// changedConnector is one of which it has to be found out what can be changed through it.
type changedConnector struct {
	ID string
	// Version is the connector's. Together with the last test it decides whether what is known of
	// its abilities is out of date.
	Version int
	Test    *string // when it was last tested
}

// probe notes which operations a connector's settings allow and its target was not seen to lack, and which it lacks.
func (p *Planner) probe(ctx context.Context, tx *pg.Tx, c changedConnector) error {
	names, missing, why := []string{}, []string{}, "its settings cannot be opened"
	if opened, err := p.Connectors.Open(ctx, tx, c.ID); err == nil {
		allowed := p.Dispatch.Writes(opened.Target.Type, opened.Auth)
		can := opened.Able(allowed)
		why = can.Why
		for _, op := range allowed.Ops {
			if slices.Contains(can.Ops, op) {
				names = append(names, string(op))
			} else {
				missing = append(missing, string(op))
			}
		}
	}
	const note = `
		insert into provisioning_lane as l (tenant_id, connector_id, ops, ops_missing, ops_why, ops_version, ops_test)
		values (current_tenant(), $1, $2, $3, $4, $5, $6)
		    on conflict (tenant_id, connector_id) do update
		   set ops = excluded.ops, ops_missing = excluded.ops_missing, ops_why = excluded.ops_why,
		       ops_version = excluded.ops_version, ops_test = excluded.ops_test,
		       planned_mode = case when l.ops is distinct from excluded.ops
		                             or l.ops_missing is distinct from excluded.ops_missing then null
		                                 else l.planned_mode end`
	return pg.Exec(ctx, tx, "note what a connector can change", note, c.ID, names, missing, why, c.Version, c.Test)
}
