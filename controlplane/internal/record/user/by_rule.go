package user

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// RuleLinkLife is how long the sign-in link works that a rule sends: its receiver has not asked for it.
const RuleLinkLife = 72 * time.Hour

// act is what is done about a user, as the audit log calls it.
type act string

const (
	none    act = ""
	create  act = "user.created"
	enable  act = "user.enabled"
	disable act = "user.disabled"
	update  act = "user.updated"
)

// standing is what rules decide about a user.
type standing struct {
	Status      Status   `json:"status" db:"status"`
	Roles       []string `json:"roles" db:"roles"`
	RuleRoles   []string `json:"rule_roles" db:"rule_roles"`
	ByRule      bool     `json:"by_rule" db:"by_rule"`
	EndedByRule bool     `json:"ended_by_rule" db:"ended_by_rule"`
}

// ruled is a person, what the rules give them, and their user.
type ruled struct {
	Person   string   `db:"person"`
	Email    string   `db:"email"`
	Name     string   `db:"name"`
	Locale   string   `db:"locale"`
	Wanted   bool     `db:"wanted"`
	Given    []string `db:"given"`
	Mail     bool     `db:"mail"`
	Taken    bool     `db:"taken"`     // another user has the person's address
	User     string   `db:"user_id"`   // empty: none
	Address  string   `db:"address"`   // of the user
	SignedIn bool     `db:"signed_in"` // they have signed in before, or set a password
	standing
}

// next is what becomes of the user, and whether they are sent a sign-in link. Users whom no rule made stay as they are,
// and so does one that an administrator disabled.
func (r ruled) next() (act, standing, bool) {
	after := r.standing
	given := tidyRoles(r.Given)
	if r.User == "" {
		if !r.Wanted || !r.Mail || r.Email == "" || r.Taken {
			return none, after, false
		}
		return create, standing{Status: Invited, Roles: given, RuleRoles: given, ByRule: true}, true
	}
	if !r.ByRule {
		return none, after, false
	}
	manual := slices.DeleteFunc(tidyRoles(r.Roles), func(x string) bool { return slices.Contains(r.RuleRoles, x) })
	switch {
	case r.Wanted && r.Status == Disabled && !r.EndedByRule:
		return none, after, false
	case r.Wanted:
		after.RuleRoles = slices.DeleteFunc(given, func(x string) bool { return slices.Contains(manual, x) })
		after.Roles = tidyRoles(append(slices.Clone(manual), after.RuleRoles...))
		if r.Status == Disabled {
			after.EndedByRule, after.Status = false, Invited
			if r.SignedIn {
				after.Status = Active
			}
			return enable, after, r.Mail && !r.SignedIn
		}
	case r.Status == Disabled:
		return none, after, false
	case len(manual) > 0: // what an administrator gave stays
		after.Roles, after.RuleRoles, after.ByRule = manual, []string{}, false
	default:
		after.Status, after.EndedByRule = Disabled, true
		return disable, after, false
	}
	if slices.Equal(after.Roles, tidyRoles(r.Roles)) && slices.Equal(after.RuleRoles, tidyRoles(r.RuleRoles)) &&
		after.ByRule == r.ByRule {
		return none, after, false
	}
	return update, after, false
}

// FollowRules brings the users of these people in line with what the rules for sign-in give them, in sets.
func (s *Service) FollowRules(ctx context.Context, tx *pg.Tx, people []string) error {
	found, err := readRuled(ctx, tx, people)
	if err != nil {
		return err
	}
	var fresh, changed []change
	var invite, end []string
	var entries []audit.Entry
	for _, r := range found {
		what, after, invited := r.next()
		if what == none {
			continue
		}
		c := change{ID: r.User, Email: r.Address, Person: r.Person, Name: r.Name, Locale: r.Locale, standing: after}
		switch what {
		case create:
			f := Fields{Email: r.Email, DisplayName: r.Name, Locale: r.Locale}
			if f.complete() != nil {
				continue // no address that mail could reach
			}
			c.ID, c.Email = uuid.Must(uuid.NewV7()).String(), f.Email
			fresh = append(fresh, c)
		case disable:
			changed, end = append(changed, c), append(end, c.ID)
		default:
			changed = append(changed, c)
		}
		if invited {
			invite = append(invite, c.ID)
		}
		entries = append(entries, c.entry(what, r))
	}
	if err := s.write(ctx, tx, fresh, changed); err != nil {
		return err
	}
	if err := s.endUsers(ctx, tx, end); err != nil {
		return err
	}
	if err := audit.RecordAll(ctx, tx, entries); err != nil {
		return err
	}
	return s.inviteAll(ctx, tx, invite)
}

// change is a user as the rules have it.
type change struct {
	ID     string `json:"id"`
	Email  string `json:"email"`
	Person string `json:"person"`
	Name   string `json:"name"`
	Locale string `json:"locale"`
	standing
}

// entry is the record of a change.
func (c change) entry(what act, r ruled) audit.Entry {
	e := audit.Entry{
		Action:  string(what),
		Subject: subject(c.ID, c.Email),
		Context: map[string]any{"identity_id": c.Person, "by": "sign_in_rule"},
	}
	if before := tidyRoles(r.Roles); !slices.Equal(before, c.Roles) {
		e.Changes = append(e.Changes, audit.Change{Field: "roles", From: before, To: c.Roles})
	}
	return e
}

// readRuled locks the users of people and reads both.
func readRuled(ctx context.Context, tx *pg.Tx, people []string) ([]ruled, error) {
	const lock = `
		select u.id
		  from app_user u
		 where u.tenant_id = current_tenant()
		   and u.identity_id = any($1::text[]::uuid[])
		 order by u.id
		   for update`
	if err := pg.Exec(ctx, tx, "lock users of people", lock, people); err != nil {
		return nil, err
	}
	const sql = `
		with wanted as (
			select g.identity_id, array_remove(array_agg(distinct r.role), null) as roles,
			       bool_or(k.invitation = 'mail') as mail
			  from sign_in_grant g
			  join sign_in_rule k on k.tenant_id = g.tenant_id and k.id = g.rule_id and k.enabled
			  left join lateral unnest(k.roles) r (role) on true
			 where g.tenant_id = current_tenant()
			   and g.identity_id = any($1::text[]::uuid[])
			 group by g.identity_id
		)
		select i.id::text as person, coalesce(i.email, '') as email, i.display_name as name,
		       coalesce(nullif(i.locale, ''), 'en') as locale,
		       w.identity_id is not null as wanted, coalesce(w.roles, '{}') as given, coalesce(w.mail, false) as mail,
		       exists (select from app_user x
		                where x.tenant_id = i.tenant_id
		                  and x.email_lc = i.email_lc
		                  and x.identity_id is distinct from i.id) as taken,
		       coalesce(u.id::text, '') as user_id, coalesce(u.email, '') as address,
		       coalesce(u.password_hash is not null or u.last_login_at is not null, false) as signed_in,
		       coalesce(u.status, '') as status, coalesce(u.roles, '{}') as roles,
		       coalesce(u.rule_roles, '{}') as rule_roles, coalesce(u.by_rule, false) as by_rule,
		       coalesce(u.ended_by_rule, false) as ended_by_rule
		  from identity i
		  left join wanted w on w.identity_id = i.id
		  left join app_user u on u.tenant_id = i.tenant_id and u.identity_id = i.id and u.deleted_at is null
		 where i.tenant_id = current_tenant()
		   and i.id = any($1::text[]::uuid[])
		   and (w.identity_id is not null or u.by_rule)
		 order by i.id`
	return pg.All[ruled](ctx, tx, "read people and their users", sql, people)
}

// write stores new and changed users.
func (s *Service) write(ctx context.Context, tx *pg.Tx, fresh, changed []change) error {
	const insert = `
		insert into app_user (tenant_id, id, email, display_name, roles, identity_id, locale, status, created_at,
		       updated_at, by_rule, rule_roles)
		select current_tenant(), c.id, c.email, c.name, c.roles, c.person, c.locale, 'invited', @now, @now,
		       true, c.rule_roles
		  from jsonb_to_recordset(@users) c (id uuid, email text, name text, roles text[], person uuid, locale text,
		       rule_roles text[])`
	const change = `
		update app_user u
		   set status = c.status, roles = c.roles, rule_roles = c.rule_roles, by_rule = c.by_rule,
		       ended_by_rule = c.ended_by_rule, updated_at = @now, version = u.version + 1
		  from jsonb_to_recordset(@users) c (id uuid, status text, roles text[], rule_roles text[], by_rule boolean,
		       ended_by_rule boolean)
		 where u.tenant_id = current_tenant()
		   and u.id = c.id`
	if len(fresh) > 0 {
		args := pgx.NamedArgs{"users": fresh, "now": s.Now()}
		if err := pg.Exec(ctx, tx, "create users by rules", insert, args); err != nil {
			return err
		}
	}
	if len(changed) == 0 {
		return nil
	}
	args := pgx.NamedArgs{"users": changed, "now": s.Now()}
	return pg.Exec(ctx, tx, "change users by rules", change, args)
}

// endUsers takes links and sessions from users who are disabled.
func (s *Service) endUsers(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return s.SignIn.EndUsers(ctx, tx, ids, "user_disabled")
}

// inviteAll issues sign-in links and writes the messages with them.
func (s *Service) inviteAll(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	links, err := s.SignIn.IssueSignInLinks(ctx, tx, ids, RuleLinkLife)
	if err != nil {
		return err
	}
	const sql = `
		update app_user
		   set invited_at = $2
		 where tenant_id = current_tenant()
		   and id = any($1::text[]::uuid[])`
	if err := pg.Exec(ctx, tx, "note invitations", sql, ids, s.Now()); err != nil {
		return err
	}
	if s.InvitedByRule == nil {
		return nil
	}
	return s.InvitedByRule(ctx, tx, links)
}
