package taskview

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

const aboutGroups = "The tasks that failed, that a person has to do, and that cannot be sent now, by connector and " +
	"cause. A group of failed tasks is sent again at once with POST /accounts/provisioning-tasks/retry-failed, its " +
	"connector_id and its cause."

// TaskGroup are the open tasks of a connector that have the same cause.
type TaskGroup struct {
	// ID of the connector.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// ID and display name of the connector.
	Connector identity.Reference `json:"connector" db:"connector"`
	// State of the tasks. failed: they failed. manual: a person has to carry them out. waiting: they cannot be sent
	// now.
	State string `json:"state" db:"state" enum:"failed,manual,waiting"`
	// The code of the error, or of what keeps tasks waiting; unknown where there is none.
	Cause string `json:"cause" db:"cause"`
	// Class of the error of the newest task; null if there is none.
	ErrorClass *string `json:"error_class" db:"error_class"`
	// The cause in words, of the newest task.
	Message *string `json:"message" db:"message"`
	// What to do about it, of the newest task.
	Advice *string `json:"advice" db:"advice"`
	// Number of tasks in the group.
	Count int64 `json:"count" db:"count"`
	// Of these, how many are in the urgent lane or of leavers whose accounts can still be used.
	Urgent int64 `json:"urgent" db:"urgent"`
	// Time the oldest task of the group was created.
	OldestAt time.Time `json:"oldest_at" db:"oldest_at"`
}

// TaskGroups are all groups, those with urgent tasks first, then the largest.
type TaskGroups struct {
	// At most 500.
	Groups []TaskGroup `json:"groups" nullable:"false"`
}

type groupsIn struct {
	// Tasks of this connector.
	ConnectorID string `query:"connector_id" format:"uuid"`
}

// groupsOut is the response of the summary by cause.
type groupsOut struct{ Body TaskGroups }

// CauseSQL is the SQL of what a task t did not succeed for.
const CauseSQL = `coalesce(t.error ->> 'code', 'unknown')`

func (s *Service) groups(ctx context.Context, v viewer.Viewer, in *groupsIn) (*groupsOut, error) {
	const sql = `
		with lane as (
		    select c.tenant_id, c.id, c.name, ` + ability.WaitingSQL + ` as waiting
		      from connector c ` + ability.AroundConnectorSQL + `
		     where c.deleted_at is null
		       and ($1 = '' or c.id::text = lower($1))
		), task as (
		    select t.id, t.connector_id, l.name, t.created_at, t.error_class,
		           t.lane = 'urgent' or t.escalated_at is not null as urgent,
		           case when t.state in ('failed', 'manual') then t.state else 'waiting' end as state,
		               case when t.state in ('failed',
		               'manual') then ` + CauseSQL + ` else l.waiting ->> 'code' end as cause,
		           case when t.state in ('failed', 'manual') then t.error ->> 'message'
		           else l.waiting ->> 'reason' end as message, t.advice
		      from provisioning_task t
		      join lane l on l.tenant_id = t.tenant_id and l.id = t.connector_id
		     where t.mode <> 'simulate'
		       and (t.state in ('failed', 'manual') or t.state in ('queued', 'retrying') and l.waiting is not null)
		)
		select connector_id, jsonb_build_object('id', connector_id, 'display', min(name)) as connector, state, cause,
		       (array_agg(error_class order by id desc))[1] as error_class,
		       (array_agg(message order by id desc))[1] as message, (array_agg(advice order by id desc))[1] as advice,
		           count(*) as count, count(*) filter (where urgent) as urgent, min(created_at) as oldest_at
		  from task
		 group by connector_id, state, cause
		 order by count(*) filter (where urgent) > 0 desc, count(*) desc, connector_id, state, cause
		 limit 500`
	out := &groupsOut{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		groups, err := pg.All[TaskGroup](ctx, tx, "group tasks", sql, in.ConnectorID)
		out.Body.Groups = groups
		return err
	})
	return out, err
}
