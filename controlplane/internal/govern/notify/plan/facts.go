package plan

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// person is who a notification is for.
type person struct {
	ID       string         `db:"person_id"`
	UserID   *string        `db:"user_id"`
	Roles    []string       `db:"roles"`
	Name     string         `db:"name"`
	Address  string         `db:"address"`
	TimeZone string         `db:"time_zone"`
	Modes    notice.Choices `db:"modes"`
	Hour     *int           `db:"digest_hour"`
	Gone     bool           `db:"gone"`
	Shared   bool           `db:"shared"`
	Bounced  bool           `db:"bounced"`
	Language string         `db:"language"`
	Lately   int            `db:"lately"` // messages of the last hour
	LastSent *time.Time     `db:"sent_at"`
	Due      *time.Time     `db:"due_at"` // of the digest
}

func people(ctx context.Context, tx *pg.Tx, ids []string) ([]person, error) {
	const sql = `
		select p.person_id::text, p.user_id::text, p.roles, p.name, p.address, p.time_zone, p.modes, p.digest_hour,
		       p.gone, p.shared, p.bounced, p.language,
		       (select count(*)
		          from mail_message m
		         where m.tenant_id = current_tenant()
		           and m.person_id = p.person_id
		           and m.created_at > now() - interval '1 hour')::int as lately,
		       d.sent_at, d.due_at
		  from notification_people(@people::text[]::uuid[]) p
		  left join notification_digest d
		    on d.tenant_id = current_tenant()
		   and d.person_id = p.person_id
		 order by p.person_id`
	return pg.All[person](ctx, tx, "read people", sql, pgx.NamedArgs{"people": ids})
}

// fact is a notification with what is true of its subject now.
type fact struct {
	ID        string     `db:"id"`
	Kind      string     `db:"kind"`
	Person    string     `db:"person_id"`
	Type      string     `db:"subject_type"`
	Subject   string     `db:"subject_id"`
	Urgent    bool       `db:"urgent"`
	CreatedAt time.Time  `db:"created_at"`
	Settled   bool       `db:"settled"` // it is no longer true
	Title     string     `db:"title"`
	Summary   string     `db:"summary"`
	Due       *time.Time `db:"due_at"`
	Risk      string     `db:"risk"`
	Number    int64      `db:"number"`
	For       string     `db:"requested_for"`
	By        string     `db:"requested_by"`
	Items     []string   `db:"items"`
	Note      string     `db:"note"`
	Parent    string     `db:"parent"` // connector of a sync run
}

// facts reads the notifications of people in a state, with their subjects.
func facts(ctx context.Context, tx *pg.Tx, people []string, state string) ([]fact, error) {
	const sql = `
		select n.id::text, n.kind, n.person_id::text, n.subject_type, n.subject_id::text, n.urgent, n.created_at,
		       case n.subject_type
		            when 'decision_task' then t.id is null or t.state not in ('open', 'claimed')
		                 or n.kind <> 'task.role' and not exists (select
		                                                            from decision_assignee a
		                                                           where a.tenant_id = n.tenant_id
		                                                             and a.task_id = t.id
		                                                             and a.identity_id = n.person_id
		                                                             and a.dropped_at is null)
		            when 'access_request' then r.id is null
		            when 'access_request_item' then i.id is null or i.ends_at is null or i.ends_at < now()
		            when 'agent' then g.id is null or g.state not in ('offline', 'quarantined')
		            when 'connector' then c.id is null or c.status <> 'quarantined'
		            when 'webhook' then w.id is null or w.state <> 'disabled_auto'
		            when 'violation' then v.id is null or v.state <> 'open' and n.kind <> 'violation.revoked'
		            when 'access_grant' then ag.id is null
		            when 'mitigation' then m.id is null or m.state not in ('lapsed', 'expired')
		            when 'provisioning_task' then pt.id is null or pt.state <> 'failed'
		            when 'sync_run' then s.id is null or s.status <> 'held'
		            when 'api_token' then k.id is null or k.revoked_at is not null or k.disabled_at is not null
		                 or k.expires_at < now()
		            when 'role_assignment' then ra.id is null or ra.state <> 'active' or ra.ends_at is null
		                 or ra.ends_at < now()
		            else false end as settled,
		       coalesce(t.title, i.display, g.name, sp.name || ': ' || concerned.display_name,
		                c.name || coalesce(': ' || e.display_name, ': ' || concerned.display_name, ''), w.name, k.name,
		                ro.name,
		                case n.subject_type when 'user' then own.name when 'access_grant' then e.name end, '') as title,
		       coalesce(t.summary, g.quarantine_reason, w.state_reason, pt.error ->> 'message', n.detail ->> 'reason',
		                '') as summary,
		       coalesce(t.due_at, i.ends_at, k.expires_at, ra.ends_at) as due_at,
		       case when t.risk_level in ('high', 'critical') then t.risk_level when t.urgency > 2 then t.priority
		            when v.severity in ('high', 'critical') then v.severity else '' end as risk,
		       coalesce(s.connector_id::text, '') as parent,
		       coalesce(r.number, 0) as number, coalesce(f.display_name, '') as requested_for,
		       coalesce(r.requested_by ->> 'display', '') as requested_by,
		       array(select x.display
		               from access_request_item x
		              where x.tenant_id = n.tenant_id
		                and x.request_id = r.id
		              order by x.position
		              limit 20) as items,
		       coalesce((select string_agg(distinct x.decision_reason, ' ')
		                   from access_request_item x
		                  where x.tenant_id = n.tenant_id
		                    and x.request_id = r.id
		                    and x.status = 'rejected'), '') as note
		  from notification n
		  left join decision_task t
		    on n.subject_type = 'decision_task'
		   and t.tenant_id = n.tenant_id
		   and t.id = n.subject_id
		  left join access_request_item i
		    on n.subject_type = 'access_request_item'
		   and i.tenant_id = n.tenant_id
		   and i.id = n.subject_id
		  left join access_request r
		    on r.tenant_id = n.tenant_id
		   and r.id = coalesce(i.request_id, case n.subject_type when 'access_request' then n.subject_id end)
		  left join identity f
		    on f.tenant_id = n.tenant_id
		   and f.id = r.requested_for
		  left join agent g
		    on n.subject_type = 'agent'
		   and g.tenant_id = n.tenant_id
		   and g.id = n.subject_id
		  left join violation v
		    on n.subject_type = 'violation'
		   and v.tenant_id = n.tenant_id
		   and v.id = n.subject_id
		  left join access_grant ag
		    on n.subject_type = 'access_grant'
		   and ag.tenant_id = n.tenant_id
		   and ag.id = n.subject_id
		  left join mitigation m
		    on n.subject_type = 'mitigation'
		   and m.tenant_id = n.tenant_id
		   and m.id = n.subject_id
		  left join separation_policy sp
		    on sp.tenant_id = n.tenant_id
		   and sp.id = coalesce(v.policy_id, m.policy_id)
		  left join provisioning_task pt
		    on n.subject_type = 'provisioning_task'
		   and pt.tenant_id = n.tenant_id
		   and pt.id = n.subject_id
		  left join sync_run s
		    on n.subject_type = 'sync_run'
		   and s.tenant_id = n.tenant_id
		   and s.id = n.subject_id
		  left join api_token k
		    on n.subject_type = 'api_token'
		   and k.tenant_id = n.tenant_id
		   and k.id = n.subject_id
		  left join role_assignment ra
		    on n.subject_type = 'role_assignment'
		   and ra.tenant_id = n.tenant_id
		   and ra.id = n.subject_id
		  left join role ro
		    on ro.tenant_id = n.tenant_id
		   and ro.id = ra.role_id
		  left join identity concerned
		    on concerned.tenant_id = n.tenant_id
		   and concerned.id = coalesce(v.identity_id, m.identity_id, pt.identity_id)
		  left join entitlement e
		    on e.tenant_id = n.tenant_id
		   and e.id = coalesce(pt.entitlement_id, ag.entitlement_id)
		  join tenant own
		    on own.id = n.tenant_id
		  left join connector c
		    on n.subject_type in ('connector', 'provisioning_task', 'sync_run')
		   and c.tenant_id = n.tenant_id
		   and c.id = coalesce(s.connector_id, pt.connector_id, n.subject_id)
		  left join webhook w
		    on n.subject_type = 'webhook'
		   and w.tenant_id = n.tenant_id
		   and w.id = n.subject_id
		 where n.tenant_id = current_tenant()
		   and n.person_id = any(@people::text[]::uuid[])
		   and n.state = @state
		 order by n.person_id, n.created_at, n.id`
	return pg.All[fact](ctx, tx, "read notifications", sql, pgx.NamedArgs{"people": people, "state": state})
}

// urgent reports whether a notification concerns something that is due today, or risky.
func (f fact) urgent(now time.Time, loc *time.Location) bool {
	return f.Urgent || f.Risk != "" || f.Due != nil && notice.SameDay(*f.Due, now, loc)
}
