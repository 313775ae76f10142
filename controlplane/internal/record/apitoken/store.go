package apitoken

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const (
	from  = `api_token k join app_user u on u.tenant_id = k.tenant_id and u.id = k.created_by`
	ends  = `least(k.expires_at, k.rotation_overlap_until)`
	idle  = `greatest(k.last_used_at, k.awake_since) + k.idle_after <= @now`
	alone = `not (u.status = 'active' and 'admin' = any (u.roles))`       // no one answers for the token
	fell  = `k.made_by is not null and not token_stands(k.made_by, @now)` // with the token that made it

	// state is what package auth judges by when the token is used.
	state = `case when k.revoked_at is not null then 'revoked'
	              when ` + ends + ` <= @now then 'expired'
	              when k.disabled_at is not null or ` + idle + ` or ` + alone + ` or ` + fell + ` then 'disabled'
	              when ` + ends + ` <= @now::timestamptz + interval '7 days' then 'expiring'
	              else 'active' end`

	columns = `k.id::text as id, k.jti::text as jti, k.name, k.description, k.scopes, k.role,
		k.bound_identity_id::text as bound_identity_id,
		k.allowed_cidrs, k.rate_rps, k.rate_burst, extract(epoch from k.idle_after)::bigint as idle_seconds,
		  k.expires_at,
		u.id::text as creator_id, u.email as creator, k.made_by::text as made_by_id, k.last_used_at, k.last_used_ip, ` +
		state + ` as state,
		case when k.disabled_reason is not null then k.disabled_reason when ` + idle + ` then 'idle' when ` + alone +
		` then 'creator' when k.revoked_at is null and ` + fell + ` then 'maker' end as disabled_reason,
		k.rotated_from_id::text as rotated_from_id, k.rotation_overlap_until, k.created_at, k.updated_at, k.version`
)

// find reads a token. It returns a fault of kind NotFound when there is none.
func find(ctx context.Context, tx *pg.Tx, id string, now time.Time, locking string) (Token, error) {
	if !listing.IsID(id) {
		return Token{}, notFound(id)
	}
	found, err := pg.One[row](
		ctx,
		tx,
		"find service token",
		`select `+columns+` from `+from+` where k.id = @id `+locking,
		pgx.NamedArgs{"id": id, "now": now},
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Token{}, notFound(id)
	case err != nil:
		return Token{}, err
	}
	return found.shown(), nil
}

// forUpdate locks the token's row and not those that are joined.
const forUpdate = "for update of k"

// notFound is the fault for a token that is not there.
func notFound(id string) error {
	return fault.New(fault.NotFound, "Service token %s was not found.", id)
}

// maker is whose rights a token stands on, and the token by which it was made.
type maker struct {
	user  string
	token *string
}

// entry is a token about to be kept.
type entry struct {
	grant
	id, jti string
	maker   maker
	from    *string // the token that it replaces
}

// insert stores a token; the token itself is not stored, only its jti.
func insert(ctx context.Context, tx *pg.Tx, e entry, now time.Time) error {
	const sql = `
		insert into api_token (tenant_id, id, jti, name, description, scopes, role, bound_identity_id, allowed_cidrs,
		                       rate_rps, rate_burst, idle_after, expires_at, created_by, made_by, rotated_from_id,
		                           awake_since, created_at, updated_at)
		values (current_tenant(), @id, @jti, @name, @description, @scopes, @role, @identity, @networks, @rps, @burst,
		        make_interval(secs => @idle), @expires, @user, @token, @from, @now, @now, @now)`
	args := e.arguments(e.idle)
	for name, value := range map[string]any{
		"id": e.id, "jti": e.jti, "scopes": e.scopes, "role": string(e.role), "identity": e.identity,
		"expires": e.expires,
		"user":    e.maker.user, "token": e.maker.token, "from": e.from, "now": now,
	} {
		args[name] = value
	}
	return pg.Exec(ctx, tx, "keep service token", sql, args)
}

// arguments are the settings as named arguments. No rate is null: the usual one.
func (s Settings) arguments(idle time.Duration) pgx.NamedArgs {
	args := pgx.NamedArgs{
		"name":        s.Name,
		"description": s.Description,
		"networks":    s.AllowedCIDRs,
		"idle":        idle.Seconds(),
		"rps":         nil,
		"burst":       nil,
	}
	if s.RateLimit != nil {
		args["rps"], args["burst"] = s.RateLimit.RPS, s.RateLimit.Burst
	}
	return args
}

// store writes settings. A token that is enabled again has all its idle time before it.
func store(ctx context.Context, tx *pg.Tx, id string, before, after Settings, idle time.Duration, now time.Time) error {
	sql := `
		update api_token
		   set name = @name, description = @description, allowed_cidrs = @networks, rate_rps = @rps,
		       rate_burst = @burst, idle_after = make_interval(secs => @idle), updated_at = @now, version = version + 1`
	switch {
	case after.Enabled && !before.Enabled:
		sql += `, disabled_at = null, disabled_reason = null, awake_since = @now`
	case before.Enabled && !after.Enabled:
		sql += `, disabled_at = @now, disabled_reason = 'administrator'`
	}
	args := after.arguments(idle)
	args["id"], args["now"] = id, now
	return pg.Exec(ctx, tx, "change service token", sql+` where id = @id`, args)
}

// overlap ends a token that was rotated. Its successor is valid already.
func overlap(ctx context.Context, tx *pg.Tx, id string, until, now time.Time) error {
	const sql = `
		update api_token
		   set rotation_overlap_until = $2, updated_at = $3, version = version + 1
		 where id = $1`
	return pg.Exec(ctx, tx, "end the rotated token", sql, id, until, now)
}

// revokedToken is a token that a revocation has ended, for the audit log.
type revokedToken struct {
	ID   string `db:"id"`
	Name string `db:"name"`
}

// revoke revokes a token with all that it made, and with successors also what has replaced any of them. It gives those
// that were not revoked before.
func revoke(ctx context.Context, tx *pg.Tx, id string, successors bool, now time.Time) ([]revokedToken, error) {
	const sql = `
		with recursive family (id) as (
			select $1::uuid
			 union
			select k.id
			  from family f
			  join api_token k
			    on k.made_by = f.id
			    or ($2 and k.rotated_from_id = f.id)
		)
		update api_token k
		   set revoked_at = $3, updated_at = $3, version = version + 1
		  from family f
		 where k.id = f.id
		   and k.revoked_at is null
		returning k.id::text as id, k.name`
	return pg.All[revokedToken](ctx, tx, "revoke service token", sql, id, successors, now)
}
