package lease

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// Open is a run without a worker.
type Open struct {
	Tenant    string `db:"tenant_id"`
	ID        string `db:"id"`
	Connector string `db:"connector_id"`
	Type      string `db:"type"`
	// Mode is hosted or agent; AgentID and AgentGroup say which agents may carry the run out.
	Mode       string         `db:"mode"`
	AgentID    *string        `db:"agent_id"`
	AgentGroup *string        `db:"agent_group"`
	Status     syncrun.Status `db:"status"`
	// WaitUntil is until when a run waits for its agent. Nil: it does not wait.
	WaitUntil *time.Time `db:"wait_until"`
	// ReadEnded says that the target was read to its end, so that no agent is needed any more.
	ReadEnded bool `db:"read_ended"`
	Suspect   bool `db:"suspect"` // a process has died in it since it last moved on
	Alone     bool `db:"alone"`   // there is one tenant only
}

// openColumns are the columns of Open, for queries with sync_run as r.
const openColumns = `
	r.tenant_id, r.id, r.connector_id, r.type, r.mode, r.agent_id, r.agent_group, r.status, r.wait_until, r.read_ended,
	r.lapsed <> '{}' or r.lease_owner is not null as suspect,
	(select count(*) from (select from tenant a where a.status = 'active' limit 2) a) < 2 as alone`

const fromOpen = `
	  from sync_run r
	  join tenant t
	    on t.id = r.tenant_id
	   and (t.status = 'active' or r.cancel_requested)`

// Ready lists up to a hundred runs of all tenants that a process could work on now: of every tenant its oldest first,
// and those of tenants of which fewer are being worked on before others.
func Ready(ctx context.Context, db *pg.DB) ([]Open, error) {
	const sql = `
		with busy as (
			select b.tenant_id, count(*) as runs
			  from sync_run b
			 where b.status in ('running', 'evaluating', 'applying')
			   and b.lease_until > now()
			 group by b.tenant_id)
		select tenant_id, id, connector_id, type, mode, agent_id, agent_group, status, wait_until, read_ended, suspect,
		    alone
		  from (select ` + openColumns + `, r.created_at,
		               coalesce(b.runs, 0) + row_number() over (partition by r.tenant_id order by r.created_at,
		                   r.id) as turn` + fromOpen + `
		          left join busy b
		            on b.tenant_id = r.tenant_id
		         where r.status in ('queued', 'running', 'evaluating', 'applying')
		           and ` + lease.Free + `) r
		 order by turn, created_at, id
		 limit 100`
	return pg.FindAcross(ctx, db, pgx.RowToStructByName[Open], sql)
}

// waitingAtOnce bounds how many runs that wait for their agent are looked at together.
const waitingAtOnce = 500

// Waiting lists the next runs that wait for their agent, in turn: those after the run with the id after, which is next
// of the call before, or empty. So many runs whose agents are away hide none whose agent has come.
func Waiting(ctx context.Context, db *pg.DB, after string) (found []Open, next string, err error) {
	const sql = `select ` + openColumns + fromOpen + `
		 where r.status = 'waiting_agent'
		   and ` + lease.Free + `
		   and r.id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
		 order by r.id
		 limit $2`
	found, err = pg.FindAcross(ctx, db, pgx.RowToStructByName[Open], sql, after, waitingAtOnce)
	if len(found) == waitingAtOnce {
		next = found[waitingAtOnce-1].ID
	}
	return found, next, err
}

// Dispatch is where the run is executed: by the control plane, or by an agent or one of a group.
func (o Open) Dispatch() dispatch.Target {
	t := dispatch.Target{Tenant: o.Tenant, ConnectorID: o.Connector, Type: o.Type, Mode: o.Mode}
	if o.AgentID != nil {
		t.AgentID = *o.AgentID
	}
	if o.AgentGroup != nil {
		t.AgentGroup = *o.AgentGroup
	}
	return t
}

// AwaitAgent lets the run wait for its agent, at most for patience from when it first waited.
func (o Open) AwaitAgent(ctx context.Context, db *pg.DB, patience time.Duration) error {
	return db.As(ctx, viewer.System(o.Tenant), func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set status = 'waiting_agent', wait_until = coalesce(wait_until, now() + $2::interval),
			       progress_seq = progress_seq + 1, updated_at = now()
			 where tenant_id = current_tenant()
			   and id = $1
			   and status in ('queued', 'running', 'applying')
			   and ` + lease.Free
		_, err := tx.Exec(ctx, sql, o.ID, patience.String())
		return err
	})
}
