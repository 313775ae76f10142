package sso

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/lastadmin"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

// stands gives the provider if it may still vouch for anybody, and keeps it so until the transaction ends: what ends a
// provider comes either before, and nobody gets in, or after, and then finds what this transaction has made.
func stands(ctx context.Context, tx *pg.Tx, v session.Voucher) (idp.Provider, error) {
	p, err := idp.Hold(ctx, tx, v.Provider)
	if fault.Is(err, fault.NotFound) || err == nil && p.Issuer != v.Issuer {
		return p, noProvider()
	}
	return p, err
}

// EndProvider ends what a provider gave that goes: its sessions, the sign-ins on their way through it, and the roles of
// its mapping. The caller holds the provider's row, so that nobody signs in by it meanwhile.
func (s *Service) EndProvider(ctx context.Context, tx *pg.Tx, p idp.Provider) (out idp.Ending, err error) {
	const sessions = `
		update auth_session
		   set revoked_at = $2, revoked_reason = 'provider_gone'
		 where provider_id = $1
		   and revoked_at is null`
	ended, err := tx.Exec(ctx, sessions, p.ID, s.Now())
	if err != nil {
		return out, fmt.Errorf("end the sessions of an identity provider: %w", err)
	}
	if err := pg.Exec(
		ctx,
		tx,
		"end the sign-ins with an identity provider",
		`delete from oidc_flow where provider_id = $1`,
		p.ID,
	); err != nil {
		return out, err
	}
	people, err := takeMapped(ctx, tx, p)
	if err != nil {
		return out, err
	}
	out.Sessions = ended.RowsAffected()
	var told []audit.Entry
	for _, l := range people {
		if l.Keeper {
			out.Kept = l.Email
		}
		if len(l.After) == len(l.Before) {
			continue
		}
		slices.Sort(l.Before)
		told = append(told, audit.Entry{
			Action:  "auth.roles_mapped",
			Subject: audit.Subject{Type: "user", ID: l.ID, Display: l.Email},
			Changes: []audit.Change{
				{Field: "roles", From: l.Before, To: l.After},
			},
			Context: map[string]any{"provider": p.Name, "reason": "provider_gone"},
		})
	}
	out.Users = len(told)
	return out, audit.RecordAll(ctx, tx, told)
}

// loser is somebody to whom the mapping of a provider that goes had given roles.
type loser struct {
	ID    string `db:"id"`
	Email string `db:"email"`
	// Before and After are the roles before and after the provider's end.
	Before []string `db:"before"`
	After  []string `db:"after"`
	Keeper bool     `db:"keeper"`
}

// takeMapped takes away the roles that a provider's mapping gave. Where no active administrator would be left, one
// stays: whoever does this if they are among them, otherwise who came last. That role stays the mapping's, to go when
// it comes to it again.
func takeMapped(ctx context.Context, tx *pg.Tx, p idp.Provider) ([]loser, error) {
	if err := lastadmin.Lock(ctx, tx); err != nil {
		return nil, err
	}
	const sql = `
		with held as (
			select u.id, u.email, u.roles, u.status, l.granted_roles, l.last_used_at
			  from federated_login l
			  join app_user u
			    on u.tenant_id = l.tenant_id
			   and u.id = l.user_id
			 where l.provider_id = $1
			   and l.granted_roles <> '{}'
			   for update of u, l),
		keeper as (
			select h.id
			  from held h
			 where h.status = 'active'
			   and 'admin' = any (h.granted_roles)
			   and 'admin' = any (h.roles)
			   and not exists (select from app_user o
			                    where o.status = 'active'
			                      and 'admin' = any (o.roles)
			                      and not exists (select from held x where x.id = o.id
			                          and 'admin' = any (x.granted_roles)))
			 order by h.id::text = $2 desc, h.last_used_at desc, h.id
			 limit 1),
		rest as (
			select h.id, h.email, h.roles as before, h.id in (select id from keeper) as keeper,
			       array(select r from unnest(h.roles) r
			              where r <> all (h.granted_roles) or r = 'admin' and h.id in (select id from keeper)
			                  order by r) as after
			  from held h),
		links as (
			update federated_login
			   set granted_roles = case when user_id in (select id from keeper) then '{admin}' else '{}' end::text[]
			 where provider_id = $1
			   and granted_roles <> '{}'),
		users as (
			update app_user u
			   set roles = r.after, updated_at = now(), version = version + 1
			  from rest r
			 where u.id = r.id
			   and cardinality(r.after) < cardinality(r.before))
		select id::text as id, email, before, after, keeper from rest order by id`
	return pg.All[loser](ctx, tx, "take away the roles of a mapping", sql, p.ID, tx.Viewer.ID)
}
