package upkeep

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
)

// followModes plans people anew whose connectors write in another way than when they were last planned.
func followModes(ctx context.Context, tx *pg.Tx) error {
	const lanes = `select connector_id::text, coalesce(planned_mode, '') from provisioning_lane`
	before := map[string]string{}
	var ids []string
	var id, mode string
	if err := pg.Each(
		ctx,
		tx,
		"list lanes",
		[]any{&id, &mode},
		func() error { before[id] = mode; ids = append(ids, id); return nil },
		lanes,
	); err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	can, err := ability.Read(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		a, known := can[id]
		if !known || a.Mode == before[id] {
			continue
		}
		const note = `update provisioning_lane set planned_mode = $2 where connector_id = $1`
		if err := pg.Exec(ctx, tx, "note how a connector writes", note, id, a.Mode); err != nil {
			return err
		}
		if a.Mode == task.ModeOff {
			continue
		}
		if err := changeMode(ctx, tx, a); err != nil {
			return err
		}
		const people = `
			insert into work_item (tenant_id, kind, subject)
			select current_tenant(), 'provisioning', identity_id from access_reason where connector_id = $1
			    and state = 'active'
			 union
			select current_tenant(), 'provisioning', a.identity_id
			  from account a
			  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
			 where a.connector_id = $1
			   and (a.status in ('active', 'locked', 'disabled', 'missing') or a.status = 'deleted'
			       and a.missing_since is not null)
			   and i.status in ('deactivated', 'archived', 'on_leave')`
		if err := pg.Exec(ctx, tx, "have people looked at again", people, id); err != nil {
			return err
		}
	}
	return nil
}

// changeMode lets what waits be done in the way that the connector writes now: what a person was to do is sent, or the
// other way round. One operation may be left to people alone, because the target does not offer it.
func changeMode(ctx context.Context, tx *pg.Tx, a ability.Ability) error {
	if a.Mode == task.ModeSimulate {
		return nil
	}
	const sql = `
		update provisioning_task t
		   set mode = m.mode, updated_at = now(), version = t.version + 1, advice = nullif(m.advice, ''),
		       state = case when t.state = 'blocked' then 'blocked' when m.mode = 'manual' then 'manual'
		           else 'queued' end
		  from unnest($2::text[], $3::text[], $4::text[]) m (operation, mode, advice)
		 where t.connector_id = $1
		   and t.operation = m.operation
		   and t.mode <> m.mode
		   and t.mode <> 'simulate'
		   and not t.unsure
		   and t.state in ('queued', 'blocked', 'retrying', 'manual')
		   and t.outcome is distinct from 'manual_required'`
	var operations, modes, advice []string
	for operation := range task.ConnectorOps {
		why := a.WhyByHand(operation)
		if why != "" {
			why = "Make the change in the target, then complete this task with a note. " + why
		}
		operations, modes, advice = append(
			operations,
			operation,
		), append(
			modes,
			a.ModeOf(operation),
		), append(
			advice,
			why,
		)
	}
	return pg.Exec(ctx, tx, "change how tasks are done", sql, a.ID, operations, modes, advice)
}
