package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Of a round: how long it takes to look at everyone once, and how many people at a time.
const (
	roundEvery = 24 * time.Hour
	roundStep  = 500
)

// round has everyone looked at once a day, a few hundred at a time. What people hold is looked at whenever something of
// it changes; a change that was cancelled, or that was not noticed, is found by this.
func round(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		with due as (
		    insert into provisioning_round as r (tenant_id)
		    values (current_tenant())
		        on conflict (tenant_id) do update
		       set began_at = case when r.through is null then now() else r.began_at end
		     where r.through is not null or r.began_at < now() - $1::interval
		    returning r.tenant_id, r.through
		), people as (
		    select i.tenant_id, i.id
		      from identity i
		      join due d on d.tenant_id = i.tenant_id and (d.through is null or i.id > d.through)
		     order by i.id
		     limit $2
		), turn as (
		    insert into work_item (tenant_id, kind, subject)
		    select p.tenant_id, 'provisioning', p.id
		      from people p
		     where p.id not in (select w.subject from work_item w where w.kind = 'provisioning' and w.state = 'waiting')
		)
		select (select count(*) from due), (select id::text from people order by id desc limit 1)`
	var due int
	var last *string
	if err := tx.QueryRow(ctx, sql, roundEvery.String(), roundStep).Scan(&due, &last); err != nil {
		return fmt.Errorf("have everyone looked at: %w", err)
	}
	if due == 0 {
		return nil
	}
	return pg.Exec(
		ctx,
		tx,
		"have everyone looked at",
		`update provisioning_round set through = $1::uuid where tenant_id = current_tenant()`,
		last,
	)
}
