package sso

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/lastadmin"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/oidc"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// recognize finds the user that somebody of an outside provider is here: by the link from an earlier time, else, once,
// by a verified e-mail address, else by making them one where the provider may. Roles follow the mapping of groups.
func (s *Service) recognize(
	ctx context.Context,
	f flow,
	said oidc.Person,
	from session.Browser,
) (p session.User, err error) {
	v := viewer.System(f.tenant)
	v.IP, v.UserAgent, v.RequestID = httpapi.AddressOf(ctx), from.UserAgent(), httpapi.RequestID(ctx)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		// Two sign-ins of one person at once make one user.
		const lock = `select pg_advisory_xact_lock(hashtextextended($1, 0))`
		if err := pg.Exec(
			ctx,
			tx,
			"wait for another sign-in",
			lock,
			f.tenant+"|"+said.Issuer+"|"+said.Subject,
		); err != nil {
			return err
		}
		var err error
		if f.provider, err = stands(
			ctx,
			tx,
			session.Voucher{Provider: f.provider.ID, Issuer: f.provider.Issuer},
		); err != nil {
			return err
		}
		granted, err := s.linked(ctx, tx, said, &p)
		if errors.Is(err, pgx.ErrNoRows) {
			granted, err = nil, s.introduce(ctx, tx, f, said, &p)
		}
		if err != nil {
			return err
		}
		return follow(ctx, tx, f, said, granted, &p)
	})
	p.Tenant, p.Vouched = f.tenant, session.Voucher{Provider: f.provider.ID, Issuer: f.provider.Issuer}
	return p, err
}

// linked finds somebody who came by this provider before, with the roles that its mapping gave them then.
func (s *Service) linked(
	ctx context.Context,
	tx *pg.Tx,
	said oidc.Person,
	p *session.User,
) (granted []string, err error) {
	const sql = `
		select ` + userColumns + `, l.granted_roles
		  from federated_login l
		  join app_user u
		    on u.tenant_id = l.tenant_id
		   and u.id = l.user_id
		  join tenant t
		    on t.id = u.tenant_id
		 where l.issuer = $1
		   and l.subject = $2
		   for update of u, l`
	if err := scanUser(p, tx.QueryRow(ctx, sql, said.Issuer, said.Subject), &granted); err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, err
		}
		return nil, fmt.Errorf("find who signs in: %w", err)
	}
	return granted, nil
}

// notKnown is the fault for a person whom the provider vouches for, and who has no user here.
func notKnown() error {
	return fault.Coded(
		fault.Forbidden,
		"sso_not_linked",
		"The identity provider confirmed your sign-in, but no user is linked to it. Ask an administrator.",
	)
}

// unverified is the fault for a first sign-in with an address that the provider has not verified. Whether there is a
// user with the address is not looked up, so that the fault does not show it.
func unverified() error {
	return fault.Coded(
		fault.Forbidden,
		"sso_email_unverified",
		"The identity provider confirmed your sign-in, but did not confirm your e-mail address (email_verified). "+
			"Ask the administrator of the identity provider.",
	)
}

// introduce makes the first link. An address counts only when the provider says that it was verified, may speak for its
// domain, and nobody of the same issuer has been linked to that user before.
func (s *Service) introduce(ctx context.Context, tx *pg.Tx, f flow, said oidc.Person, p *session.User) error {
	email := throttle.CanonicalEmail(said.Email)
	switch {
	case !said.Verified || email == "":
		return unverified()
	case !f.provider.Vouches(email):
		return notKnown()
	}
	const find = `
		select ` + userColumns + `, exists (select from federated_login l where l.user_id = u.id and l.issuer = $2)
		  from app_user u
		  join tenant t
		    on t.id = u.tenant_id
		 where u.email_lc = $1
		   for update of u`
	var taken bool
	err := scanUser(p, tx.QueryRow(ctx, find, email, said.Issuer), &taken)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if err := s.admit(ctx, tx, f, said, email, p); err != nil {
			return err
		}
	case err == nil && (taken || p.Status == "disabled" || p.ControlPlane):
		return notKnown()
	case err != nil:
		return fmt.Errorf("find user by address: %w", err)
	}
	const link = `
		insert into federated_login (tenant_id, issuer, subject, user_id)
		values (current_tenant(), $1, $2, $3)`
	if err := pg.Exec(ctx, tx, "link user", link, said.Issuer, said.Subject, p.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: "auth.sso_linked", Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
		Context: map[string]any{"provider": f.provider.Name, "issuer": said.Issuer, "subject": said.Subject},
	})
}

// welcome makes a user of somebody new, linked to the person who has this address and no user: the provider has proved
// that it is theirs.
func (s *Service) welcome(
	ctx context.Context,
	tx *pg.Tx,
	f flow,
	said oidc.Person,
	email string,
	p *session.User,
) error {
	const sql = `
		insert into app_user (tenant_id, id, email, display_name, status, identity_id)
		values (current_tenant(), $1, $2, $3, 'active',
		        (select i.id
		           from identity i
		          where i.tenant_id = current_tenant()
		            and i.email_lc = lower($2)
		            and i.kind = 'human'
		            and i.status not in ('deactivated', 'archived')
		            and not exists (select from app_user u where u.tenant_id = i.tenant_id and u.identity_id = i.id)))
		returning identity_id::text`
	*p = session.User{
		ID:           uuid.Must(uuid.NewV7()).String(),
		Email:        email,
		Name:         said.Name,
		Status:       "active",
		Epoch:        1,
		TenantStatus: "active",
	}
	if err := tx.QueryRow(ctx, sql, p.ID, p.Email, p.Name).Scan(&p.Identity); err != nil {
		return fmt.Errorf("make user: %w", err)
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "user.created",
		Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
		Context: map[string]any{"provider": f.provider.Name, "identity_id": p.Identity},
	})
}

// follow brings the roles of somebody in line with their groups, and lets in who was invited. Whoever administers the
// whole deployment never comes by a tenant's provider: the tenant's administrators could make it say anything.
func follow(ctx context.Context, tx *pg.Tx, f flow, said oidc.Person, granted []string, p *session.User) error {
	if p.ControlPlane || p.Status == "disabled" {
		return notKnown()
	}
	before := p.Roles
	roles, given := mappedRoles(before, granted, f.provider.Granted(said.Groups))
	if slices.Contains(before, "admin") && !slices.Contains(roles, "admin") {
		last, err := lastAdmin(ctx, tx, p.ID)
		if err != nil {
			return err
		}
		if last { // a tenant that nobody administers could not be mended by anybody
			roles, given = mappedRoles(before, granted, append(f.provider.Granted(said.Groups), "admin"))
		}
	}
	p.Roles, p.Status = roles, "active"
	const user = `
		update app_user
		   set roles = $2, status = 'active', updated_at = now(), version = version + 1
		 where id = $1
		   and (roles <> $2 or status <> 'active')`
	const link = `
		update federated_login
		   set granted_roles = $3, provider_id = $4, last_used_at = now()
		 where issuer = $1
		   and subject = $2`
	if err := pg.Exec(ctx, tx, "set roles", user, p.ID, roles); err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "keep mapped roles", link, said.Issuer, said.Subject, given, f.provider.ID); err != nil {
		return err
	}
	if slices.Equal(slices.Sorted(slices.Values(before)), roles) {
		return nil
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "auth.roles_mapped",
		Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
		Changes: []audit.Change{
			{Field: "roles", From: append([]string{}, before...), To: roles},
		},
		Context: map[string]any{"provider": f.provider.Name},
	})
}

// lastAdmin says whether nobody else administers the tenant. Others who ask wait until this transaction has ended.
func lastAdmin(ctx context.Context, tx *pg.Tx, id string) (bool, error) {
	if err := lastadmin.Lock(ctx, tx); err != nil {
		return false, err
	}
	const sql = `
		select not exists (select from app_user
		                    where id <> $1
		                      and status = 'active'
		                      and 'admin' = any (roles))`
	var last bool
	if err := tx.QueryRow(ctx, sql, id).Scan(&last); err != nil {
		return false, fmt.Errorf("look for another administrator: %w", err)
	}
	return last, nil
}

// mappedRoles are somebody's roles after a sign-in, and those of them that are the mapping's. What the mapping gave the
// last time it takes away again; what an administrator gave stays, also where the mapping would give it too. Both are
// sorted.
func mappedRoles(now, granted, mapped []string) (roles, given []string) {
	manual := slices.DeleteFunc(slices.Clone(now), func(r string) bool { return slices.Contains(granted, r) })
	given = slices.DeleteFunc(slices.Clone(mapped), func(r string) bool { return slices.Contains(manual, r) })
	roles = append(slices.Clone(manual), given...)
	slices.Sort(roles)
	slices.Sort(given)
	return append([]string{}, slices.Compact(roles)...), append([]string{}, slices.Compact(given)...)
}

// userColumns are what scanUser reads, of app_user as u and tenant as t.
const userColumns = `u.id::text, u.email, u.display_name, u.identity_id::text, u.roles, u.status, u.password_epoch,
	u.control_plane_admin, t.status`

func scanUser(p *session.User, row pgx.Row, more ...any) error {
	columns := []any{
		&p.ID, &p.Email, &p.Name, &p.Identity, &p.Roles, &p.Status, &p.Epoch, &p.ControlPlane, &p.TenantStatus,
	}
	return row.Scan(append(columns, more...)...)
}
