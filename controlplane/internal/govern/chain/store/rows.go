package store

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
)

const insertChains = `
	insert into chain (tenant_id, item_id, request_id, number, beneficiary_id, role_id, entitlement_id, subject, plan,
	                   shown, state, stage, starts_at, ends_at, expires_at, look_at, left_tasks, created_at, updated_at,
	                       closed_at)
	select current_tenant(), x.item_id, x.request_id, x.number, (x.subject ->> 'beneficiary_id')::uuid,
	       (x.subject ->> 'role_id')::uuid, (x.subject ->> 'entitlement_id')::uuid, x.subject, x.plan, x.shown, x.state,
	       x.stage, x.starts_at, x.ends_at, x.expires_at, x.look_at, x.left_tasks, x.updated_at, x.updated_at,
	           x.closed_at
	  from jsonb_to_recordset(@rows::jsonb)
	    as x (item_id uuid, request_id uuid, number text, subject jsonb, plan jsonb, shown jsonb, state text, stage int,
	          starts_at timestamptz, ends_at timestamptz, expires_at timestamptz, look_at timestamptz,
	              left_tasks text[], updated_at timestamptz, closed_at timestamptz)`

const updateChains = `
	update chain c
	   set plan       = coalesce(x.plan, c.plan),
	       state      = x.state,
	       stage      = x.stage,
	       starts_at  = x.starts_at,
	       ends_at    = x.ends_at,
	       look_at    = x.look_at,
	       turned     = x.turned,
	       left_tasks = x.left_tasks,
	       updated_at = x.updated_at,
	       closed_at  = x.closed_at
	  from jsonb_to_recordset(@rows::jsonb)
	    as x (item_id uuid, plan jsonb, state text, stage int, starts_at timestamptz, ends_at timestamptz,
	        look_at timestamptz, turned boolean,
	          left_tasks text[], updated_at timestamptz, closed_at timestamptz)
	 where c.tenant_id = current_tenant()
	   and c.item_id = x.item_id`

const upsertSteps = `
	insert into chain_stage (tenant_id, item_id, stage, state, needed, wait_since, wait_until, wait_task, waited,
	                         opened_at, due_at, closed_at, remind_at, reminded, escalate_at, escalated, escalations)
	select current_tenant(), x.*
	  from jsonb_to_recordset(@rows::jsonb)
	    as x (item_id uuid, stage int, state text, needed int[], wait_since timestamptz, wait_until timestamptz,
	          wait_task uuid, waited boolean, opened_at timestamptz, due_at timestamptz, closed_at timestamptz,
	          remind_at timestamptz[], reminded int, escalate_at timestamptz[], escalated int, escalations jsonb)
	    on conflict (tenant_id, item_id, stage) do update
	   set state       = excluded.state,
	       needed      = excluded.needed,
	       wait_since  = excluded.wait_since,
	       wait_until  = excluded.wait_until,
	       wait_task   = excluded.wait_task,
	       waited      = excluded.waited,
	       opened_at   = excluded.opened_at,
	       due_at      = excluded.due_at,
	       closed_at   = excluded.closed_at,
	       remind_at   = excluded.remind_at,
	       reminded    = excluded.reminded,
	       escalate_at = excluded.escalate_at,
	       escalated   = excluded.escalated,
	       escalations = excluded.escalations`

const upsertSlots = `
	insert into chain_slot (tenant_id, id, item_id, stage, group_index, identity_id, role, display, via, acting_for,
	    because, task_id, state, decided_at, decided_by, comment)
	select current_tenant(), x.*
	  from jsonb_to_recordset(@rows::jsonb)
	    as x (id uuid, item_id uuid, stage int, group_index int, identity_id uuid, role text, display text, via text,
	          acting_for uuid, because text, task_id uuid, state text, decided_at timestamptz, decided_by jsonb,
	              comment text)
	    on conflict (tenant_id, id) do update
	   set identity_id = excluded.identity_id,
	       display     = excluded.display,
	       via         = excluded.via,
	       acting_for  = excluded.acting_for,
	       because     = excluded.because,
	       task_id     = excluded.task_id,
	       state       = excluded.state,
	       decided_at  = excluded.decided_at,
	       decided_by  = excluded.decided_by,
	       comment     = excluded.comment`

const insertLog = `
	insert into chain_log (tenant_id, item_id, stage, at, step, detail)
	select current_tenant(), x.item_id, x.stage, x.at, x.step, x.detail
	  from rows from (jsonb_to_recordset(@rows::jsonb) as (item_id uuid, stage int, at timestamptz, step text,
	      detail text))
	       with ordinality x (item_id, stage, at, step, detail, n)
	 order by x.n`

func flowRow(f *state.Flow) map[string]any {
	row := map[string]any{
		"item_id":    f.ItemID,
		"state":      f.State,
		"stage":      f.Stage,
		"starts_at":  f.StartsAt,
		"ends_at":    f.EndsAt,
		"look_at":    f.LookAt,
		"turned":     f.Turned,
		"left_tasks": state.NonNil(f.LeftTasks),
		"updated_at": f.TouchedAt,
		"closed_at":  f.ClosedAt,
	}
	if f.PlanChanged {
		row["plan"] = f.Plan
	}
	return row
}

func newFlowRow(f *state.Flow) map[string]any {
	row := flowRow(f)
	for k, v := range map[string]any{"request_id": f.RequestID, "number": f.Number, "subject": f.Subject,
		"plan": f.Plan, "shown": f.Shown, "expires_at": f.ExpiresAt} {
		row[k] = v
	}
	return row
}

func stepRow(s *state.Stage) map[string]any {
	return map[string]any{
		"item_id":     s.ItemID,
		"stage":       s.Stage,
		"state":       s.State,
		"needed":      state.NonNil(s.Needed),
		"wait_since":  s.WaitSince,
		"wait_until":  s.WaitUntil,
		"wait_task":   s.WaitTask,
		"waited":      s.Waited,
		"opened_at":   s.OpenedAt,
		"due_at":      s.DueAt,
		"closed_at":   s.ClosedAt,
		"remind_at":   state.NonNil(s.RemindAt),
		"reminded":    s.Reminded,
		"escalate_at": state.NonNil(s.EscalateAt),
		"escalated":   s.Escalated,
		"escalations": state.NonNil(s.Escalations),
	}
}

func slotRow(s *state.Slot) map[string]any {
	row := map[string]any{
		"id":          s.ID,
		"item_id":     s.ItemID,
		"stage":       s.Stage,
		"group_index": s.Group,
		"identity_id": s.IdentityID,
		"role":        s.Role,
		"display":     s.Display,
		"via":         s.Via,
		"acting_for":  s.ActingFor,
		"because":     s.Because,
		"task_id":     s.TaskID,
		"state":       s.State,
		"decided_at":  s.DecidedAt,
		"comment":     s.Comment,
	}
	if s.DecidedBy != nil {
		row["decided_by"] = s.DecidedBy
	}
	return row
}
