package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// org is what resolution knows of the organisation at an instant. It is read in sets, once for all subjects.
type org struct {
	facts   map[string]*condition.Person // of those whom conditions and expressions are about
	above   map[string][]string          // the managers of a person, the nearest first
	members map[string][]string          // who holds a role of the model
	// the identities of active users with a role of the tenant; empty: a user without one
	users     map[string][]string
	duty      map[string][]string // by schedule: who is on call, and who follows
	schedules map[string]string   // their names
	texts     map[string]string   // ids, external ids and addresses in small letters: whose
	people    map[string]person
	delegates map[string]string
	clock     Clock
}

// person is somebody who may come to be asked. Unable is why they cannot decide, as unable_to_decide has it.
type person struct {
	ID, Display, Unable string
	Joins               bool // they have no user yet: an identity provider makes them one when they sign in
}

// kindOfTask is that of approvals in the inbox, for which people delegate.
const kindOfTask = "request_approval"

// most is how many members of a role are asked; the others are not looked at.
const most = 500

// wanted are resolvers, with what of the organisation they need.
type wanted struct {
	managers           bool
	roles, users, duty []string
}

func (w *wanted) note(resolvers []ApproverResolver) {
	for _, r := range resolvers {
		switch r.Kind {
		case byManager:
			w.managers = true
		case byGroup:
			w.roles = append(w.roles, r.RoleID)
		case byAppRole:
			w.users = append(w.users, r.AppRole)
		case byOnCall:
			w.duty = append(w.duty, r.ScheduleID)
		}
	}
}

// load reads what the resolvers of these subjects need, but for the people themselves.
func (o *org) load(ctx context.Context, tx *pg.Tx, beneficiaries []string, w wanted, at time.Time) (err error) {
	if w.managers {
		if o.above, err = managersOf(ctx, tx, beneficiaries); err != nil {
			return err
		}
	}
	if o.members, err = membersOf(ctx, tx, once(w.roles)); err != nil {
		return err
	}
	if o.users, err = usersWith(ctx, tx, once(append(w.users, admin))); err != nil {
		return err
	}
	if o.clock, err = Calendars(ctx, tx); err != nil {
		return err
	}
	return o.loadDuty(ctx, tx, once(w.duty), at)
}

func managersOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]string, error) {
	const sql = `
		with recursive up (id, above, level) as (
		    select i.id, i.manager_id, 1
		      from identity i
		     where i.id = any(@ids::text[]::uuid[])
		       and i.manager_id is not null
		     union all
		    select up.id, m.manager_id, up.level + 1
		      from up
		      join identity m on m.id = up.above
		     where m.manager_id is not null
		       and up.level < @deep
		)
		select up.id::text, array_agg(up.above::text order by up.level)
		  from up
		 group by up.id`
	return lists(ctx, tx, "find managers", sql, pgx.NamedArgs{"ids": ids, "deep": maxLevel})
}

// lists reads rows of a name and a list.
func lists(ctx context.Context, tx *pg.Tx, what, sql string, args pgx.NamedArgs) (map[string][]string, error) {
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	found := map[string][]string{}
	var name string
	var list []string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&name, &list},
		func() error { found[name] = slices.Clone(list); return nil },
	); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return found, nil
}

// membersOf finds who holds roles: by an assignment, of the role or of one that it is a part of, or something through
// it by a rule.
func membersOf(ctx context.Context, tx *pg.Tx, roles []string) (map[string][]string, error) {
	const sql = `
		with recursive tree (root, id) as (
		    select r.id, r.id
		      from role r
		     where r.id = any(@roles::text[]::uuid[])
		     union
		    select t.root, c.role_id
		      from tree t
		      join role_child c on c.child_id = t.id
		), holder as (
		    select t.root, a.identity_id
		      from tree t
		      join role_assignment a on a.role_id = t.id and a.state = 'active'
		     union
		    select x.role_id, x.identity_id
		      from access_reason x
		     where x.role_id = any(@roles::text[]::uuid[])
		       and x.state = 'active'
		       and x.effect = 'allow'
		), numbered as (
		    select h.root, h.identity_id, row_number() over (partition by h.root order by h.identity_id) as n
		      from holder h
		)
		select n.root::text, array_agg(n.identity_id::text order by n.n)
		  from numbered n
		 where n.n <= @most
		 group by n.root`
	if len(roles) == 0 {
		return map[string][]string{}, nil
	}
	return lists(ctx, tx, "find members of roles", sql, pgx.NamedArgs{"roles": roles, "most": most})
}

// usersWith finds active users by their roles. Auditors change nothing, so that one counts only who has another role
// beside.
func usersWith(ctx context.Context, tx *pg.Tx, roles []string) (map[string][]string, error) {
	const sql = `
		with numbered as (
		    select r.role, coalesce(u.identity_id::text, '') as identity,
		        row_number() over (partition by r.role order by u.id) as n
		      from app_user u
		     cross join unnest(u.roles) r (role)
		     where u.status = 'active'
		       and u.deleted_at is null
		       and r.role = any(@roles)
		       and (r.role <> 'auditor' or u.roles && array['admin', 'manager', 'resource_owner'])
		       and (u.identity_id is null or unable_to_decide(u.identity_id) not in ('left', 'unknown'))
		)
		select n.role, array_agg(n.identity order by n.n)
		  from numbered n
		 where n.n <= @most
		 group by n.role`
	return lists(ctx, tx, "find users by role", sql, pgx.NamedArgs{"roles": roles, "most": most})
}

// loadDuty finds who is on call, followed by the others in the order of their turns.
func (o *org) loadDuty(ctx context.Context, tx *pg.Tx, schedules []string, at time.Time) error {
	const sql = `
		select s.id::text, s.name, s.identity_ids::text[], s.shift, s.starts_at, coalesce(s.calendar_id::text, '')
		  from on_call_schedule s
		 where s.id = any(@ids::text[]::uuid[])`
	o.duty, o.schedules = map[string][]string{}, map[string]string{}
	if len(schedules) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": schedules})
	if err != nil {
		return fmt.Errorf("find who is on call: %w", err)
	}
	var id, name, shift, calendar string
	var ids []string
	var starts time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &name, &ids, &shift, &starts, &calendar}, func() error {
		length, err := span.Parse(shift)
		if err != nil {
			return fmt.Errorf("shift of the schedule %s: %w", id, err)
		}
		turn := worktime.Turn(len(ids), starts, length, o.clock.calendar(calendar).Zone, at)
		o.duty[id], o.schedules[id] = slices.Concat(ids[turn:], ids[:turn]), name
		return nil
	})
	if err != nil {
		return fmt.Errorf("find who is on call: %w", err)
	}
	return nil
}

// loadTexts finds whom expressions have named.
func (o *org) loadTexts(ctx context.Context, tx *pg.Tx, texts []string) error {
	const sql = `
		select i.id::text, i.external_id, coalesce(i.email_lc, '')
		  from identity i
		 where i.status <> 'archived'
		   and (i.id::text = any(@texts) or i.external_id = any(@texts) or i.email_lc = any(@lower))
		 order by i.id`
	o.texts = map[string]string{}
	if len(texts) == 0 {
		return nil
	}
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{"texts": texts, "lower": strings.Split(strings.ToLower(strings.Join(texts, "\x01")), "\x01")},
	)
	if err != nil {
		return fmt.Errorf("find whom expressions name: %w", err)
	}
	var id, external, email string
	_, err = pgx.ForEachRow(rows, []any{&id, &external, &email}, func() error {
		// an id is stronger than an address, and that than another system's name
		for _, name := range []string{external, email, id} {
			o.texts[strings.ToLower(name)] = id
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find whom expressions name: %w", err)
	}
	return nil
}

// meet reads the people who may come to be asked, and those who decide for them.
func (o *org) meet(ctx context.Context, tx *pg.Tx, ids []string, at time.Time) (err error) {
	ids = slices.DeleteFunc(once(ids), func(id string) bool { return id == "" })
	if o.delegates, err = decision.Delegates(ctx, tx, kindOfTask, ids, at); err != nil {
		return err
	}
	for _, d := range o.delegates {
		ids = append(ids, d)
	}
	const sql = `
		select i.id::text, i.display_name as display, unable_to_decide(i.id) as unable,
		       not exists (select from app_user u where u.tenant_id = i.tenant_id and u.identity_id = i.id
		           and u.deleted_at is null) as joins
		  from identity i
		 where i.id = any(@ids::text[]::uuid[])`
	o.people = map[string]person{}
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": once(ids)})
	if err != nil {
		return fmt.Errorf("read approvers: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[person])
	if err != nil {
		return fmt.Errorf("read approvers: %w", err)
	}
	for _, p := range list {
		o.people[p.ID] = p
	}
	return nil
}
