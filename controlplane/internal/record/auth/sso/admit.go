package sso

import (
	"context"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/oidc"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

// newcomer is a person of the tenant with the address of somebody who has no user.
type newcomer struct {
	ID     string   `db:"id"`
	Name   string   `db:"name"`
	Locale string   `db:"locale"`
	User   bool     `db:"has_user"` // by another address
	Given  bool     `db:"given"`    // sign-in, by a rule
	Roles  []string `db:"roles"`    // that the rules give
}

// admit makes a user of somebody who has none: by a rule for sign-in, else because the provider may create users.
// Otherwise the fault says what an administrator can do. The address is verified, so that the fault shows nothing to
// others. At most one person who works here has it.
func (s *Service) admit(
	ctx context.Context,
	tx *pg.Tx,
	f flow,
	said oidc.Person,
	email string,
	p *session.User,
) error {
	const sql = `
		select i.id::text as id, i.display_name as name, coalesce(nullif(i.locale, ''), 'en') as locale,
		       exists (select from app_user u where u.tenant_id = i.tenant_id and u.identity_id = i.id) as has_user,
		       g.given, g.roles
		  from identity i
		 cross join lateral (
		       select count(*) > 0 as given,
		              coalesce(array_agg(distinct x.role order by x.role) filter (where x.role is not null), '{}')
		              as roles
		         from sign_in_grant h
		         join sign_in_rule r on r.tenant_id = h.tenant_id and r.id = h.rule_id and r.enabled
		         left join unnest(r.roles) x (role) on true
		        where h.tenant_id = i.tenant_id
		          and h.identity_id = i.id) g
		 where i.tenant_id = current_tenant()
		   and i.email_lc = $1
		   and i.kind = 'human'
		   and i.status in ('active', 'on_leave', 'notice')`
	found, err := pg.All[newcomer](ctx, tx, "find a person by address", sql, email)
	if err != nil {
		return err
	}
	if len(found) == 1 && found[0].Given && !found[0].User {
		return s.admitByRule(ctx, tx, f, found[0], email, p)
	}
	switch {
	case f.provider.CreateUsers:
		return s.welcome(ctx, tx, f, said, email, p)
	case len(found) == 0:
		return fault.Coded(fault.Forbidden, "sso_no_person", "The identity provider confirmed your sign-in, but no "+
			"active person has your e-mail address. An administrator can correct the address of your person, "+
			"or invite you.")
	case found[0].User:
		return fault.Coded(fault.Forbidden, "sso_other_address", "The identity provider confirmed your sign-in, but "+
			"your user has another e-mail address. An administrator can change the address of your user.")
	}
	return fault.Coded(fault.Forbidden, "sso_no_rule", "The identity provider confirmed your sign-in, but no sign-in "+
		"rule applies to you. An administrator can change a sign-in rule, or invite you.")
}

// admitByRule makes a user of a person to whom rules give sign-in, with their roles.
func (s *Service) admitByRule(
	ctx context.Context,
	tx *pg.Tx,
	f flow,
	who newcomer,
	email string,
	p *session.User,
) error {
	*p = session.User{
		ID:           uuid.Must(uuid.NewV7()).String(),
		Email:        email,
		Name:         who.Name,
		Identity:     &who.ID,
		Roles:        who.Roles,
		Status:       "active",
		Epoch:        1,
		TenantStatus: "active",
	}
	const sql = `
		insert into app_user (tenant_id, id, email, display_name, locale, status, identity_id, roles, by_rule,
		       rule_roles)
		values (current_tenant(), $1, $2, $3, $4, 'active', $5, $6, true, $6)`
	err := pg.Exec(ctx, tx, "make user by a rule", sql, p.ID, p.Email, p.Name, who.Locale, who.ID, who.Roles)
	if err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "user.created",
		Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
		Context: map[string]any{"provider": f.provider.Name, "identity_id": who.ID, "by": "sign_in_rule"},
	})
}
