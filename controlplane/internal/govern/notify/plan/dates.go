package plan

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// Jobs is the periodic work: notifications whose cause is a date, and the deletion of what is old.
func (s *Service) Jobs(log *slog.Logger) []queue.Job {
	return []queue.Job{{
		Name:  "notification_dates",
		Title: "Notifications of dates",
		About: "Writes notifications of overdue tasks and of what ends soon, and deletes old messages.",
		Every: 5 * time.Minute,
		Run:   func(ctx context.Context) error { return s.Dates(ctx, log) },
	}}
}

// Dates writes the notifications of dates in all tenants.
func (s *Service) Dates(ctx context.Context, log *slog.Logger) error {
	tenants, err := pg.FindAcross(
		ctx,
		s.DB,
		pgx.RowTo[string],
		`select t.id::text from tenant t where t.status = 'active'`,
	)
	if err != nil {
		return fmt.Errorf("find tenants: %w", err)
	}
	_, err = loop.EachTenant(ctx, log, "cannot write notifications of dates; they are tried again", tenants,
		func(ctx context.Context, tenant string) (int, error) {
			return 0, s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error { return s.dates(ctx, tx) })
		})
	return err
}

// dated is one kind of notification whose cause is a date.
type dated struct {
	kind, subject string // kind of notification, and type of its subject
	urgent        bool
	due           string // SELECT of the subjects with that date, as id and at; $1 is now
	people        string // SELECT of the people to notify of the subject told.subject_id, as id
}

// causes are the kinds of notification whose cause is a date.
var causes = []dated{
	{
		kind: notice.TaskOverdue, subject: "decision_task", urgent: true,
		due: `select t.id, t.due_at as at
			    from decision_task t
			   where t.tenant_id = current_tenant()
			     and t.state in ('open', 'claimed')
			     and t.due_at between $1::timestamptz - interval '2 days' and $1`,
		people: `select a.identity_id as id
			       from decision_assignee a
			      where a.tenant_id = current_tenant()
			        and a.task_id = told.subject_id
			        and a.dropped_at is null`,
	},
	{
		kind: notice.AccessEnding, subject: "access_request_item",
		due: `select i.id, i.ends_at as at
			    from access_request_item i
			   where i.tenant_id = current_tenant()
			     and i.status = 'fulfilled'
			     and i.ends_at between $1::timestamptz and $1::timestamptz + interval '7 days'`,
		people: `select i.beneficiary_id as id
			       from access_request_item i
			      where i.tenant_id = current_tenant()
			        and i.id = told.subject_id`,
	},
	{
		kind: notice.AccessEnding, subject: "role_assignment",
		due: `select a.id, a.ends_at as at
			    from role_assignment a
			   where a.tenant_id = current_tenant()
			     and a.state = 'active'
			     and a.request_id is null
			     and a.ends_at between $1::timestamptz and $1::timestamptz + interval '7 days'`,
		people: `select a.identity_id as id
			       from role_assignment a
			      where a.tenant_id = current_tenant()
			        and a.id = told.subject_id`,
	},
	{
		kind: notice.TokenEnding, subject: "api_token",
		due: `select k.id, k.expires_at as at
			    from api_token k
			   where k.tenant_id = current_tenant()
			     and k.revoked_at is null
			     and k.disabled_at is null
			     and k.rotation_overlap_until is null
			     and k.expires_at between $1::timestamptz and $1::timestamptz + interval '14 days'`,
		people: `select coalesce(u.identity_id, u.id) as id
			       from api_token k
			       join app_user u
			         on u.tenant_id = k.tenant_id
			        and u.id = k.created_by
			        and u.status = 'active'
			      where k.tenant_id = current_tenant()
			        and k.id = told.subject_id
			      union
			     select people_with_role('{admin}')`,
	},
}

// sql writes the notifications that are due, once for each subject and date.
func (d dated) sql() string {
	return fmt.Sprintf(`
		with told as (
			insert into notification_told (tenant_id, kind, subject_id, due_at)
			select current_tenant(), '%[1]s', d.id, d.at
			  from (%[4]s) d
			 where notifications_enabled()
			    on conflict do nothing
			returning subject_id),
		written as (
			insert into notification (tenant_id, kind, person_id, subject_type, subject_id, urgent)
			select current_tenant(), '%[1]s', p.id, '%[2]s', told.subject_id, %[3]t
			  from told
			 cross join lateral (%[5]s) p
			returning person_id)
		select enqueue_work('notifications', array(select distinct person_id from written))`,
		d.kind, d.subject, d.urgent, d.due, d.people)
}

// dates writes the notifications of a tenant. Each date is notified once: a date that moves is notified again.
func (s *Service) dates(ctx context.Context, tx *pg.Tx) error {
	for _, d := range causes {
		if err := pg.Exec(ctx, tx, "write notifications of dates", d.sql(), s.Now()); err != nil {
			return err
		}
	}
	const old = `delete from mail_message where tenant_id = current_tenant()
		and ended_at < $1::timestamptz - interval '90 days'
		and id not in (select b.message_id from mail_bounce b where b.tenant_id = current_tenant())`
	const oldDates = `delete from notification_told where tenant_id = current_tenant()
		and due_at < $1::timestamptz - interval '30 days'`
	for _, sql := range []string{old, oldDates} {
		if err := pg.Exec(ctx, tx, "delete old messages and dates", sql, s.Now()); err != nil {
			return err
		}
	}
	return nil
}
