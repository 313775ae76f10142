package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Which says which live reasons are meant: each member that is set must hold. A list that is not nil is set, though it
// be empty.
type Which struct {
	ReasonIDs, IdentityIDs, EntitlementIDs []string
	Kind, SourceID, RoleID                 string
}

// where renders the conditions on access_reason r.
func (w Which) where() (string, pgx.NamedArgs, error) {
	conditions, args := []string{"r.state <> 'ended'"}, pgx.NamedArgs{}
	among := func(column, name string, ids []string) {
		if ids != nil {
			conditions, args[name] = append(conditions, column+" = any(@"+name+"::text[]::uuid[])"), ids
		}
	}
	equal := func(column, name, kind, value string) {
		if value != "" {
			conditions, args[name] = append(conditions, column+" = @"+name+"::"+kind), value
		}
	}
	among("r.id", "reason_ids", w.ReasonIDs)
	among("r.identity_id", "identity_ids", w.IdentityIDs)
	among("r.entitlement_id", "entitlement_ids", w.EntitlementIDs)
	equal("r.kind", "kind", "text", w.Kind)
	equal("r.source_id", "source_id", "uuid", w.SourceID)
	equal("r.role_id", "role_id", "uuid", w.RoleID)
	if len(args) == 0 {
		return "", nil, errors.New("name the reasons: all reasons of a tenant only end with the tenant")
	}
	return strings.Join(conditions, " and "), args, nil
}

// End ends live reasons and says how many. At a time to come they get that as their end, unless they end sooner; what
// would only begin then never does. why stands in their history.
func End(ctx context.Context, tx *pg.Tx, w Which, at time.Time, why string, urgent bool) (n int, err error) {
	where, args, err := w.where()
	if err != nil {
		return 0, err
	}
	sql := `
		with moment as materialized (
		    select coalesce(@at::timestamptz, now()) as at, coalesce(@at::timestamptz, now()) <= now() as passed
		), ended as (
		    update access_reason r
		       set state = case when m.passed or r.starts_at >= m.at then 'ended' else r.state end,
		           ended_at = case when m.passed or r.starts_at >= m.at then now() end,
		           ends_at = case when m.passed or r.starts_at >= m.at then r.ends_at else m.at end,
		           end_reason = @why::text
		      from moment m
		     where ` + where + `
		       and (m.passed or r.ends_at is null or r.ends_at > m.at)
		    returning r.identity_id
		), touched as (
		    insert into work_item (tenant_id, kind, subject, priority)
		    select distinct current_tenant(), 'provisioning', identity_id, @urgent::boolean::int
		      from ended
		)
		select count(*) from ended`
	args["at"], args["why"], args["urgent"] = orNull(at), why, urgent
	if err := tx.QueryRow(ctx, sql, args).Scan(&n); err != nil {
		return 0, fmt.Errorf("end reasons: %w", err)
	}
	return n, nil
}

// orNull is nil for the zero time.
func orNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// Settle lets begin what was scheduled, and end what had a limit, by now.
func Settle(ctx context.Context, tx *pg.Tx, now time.Time) (started, ended int, err error) {
	const sql = `
		with over as (
		    update access_reason r
		       set state = 'ended', ended_at = @now::timestamptz,
		           end_reason = coalesce(r.end_reason, 'its time was over')
		     where r.ends_at <= @now
		       and (r.state = 'active' or r.state = 'scheduled' and r.starts_at <= @now)
		    returning r.identity_id
		), begun as (
		    update access_reason r
		       set state = 'active'
		     where r.state = 'scheduled'
		       and r.starts_at <= @now
		       and (r.ends_at is null or r.ends_at > @now)
		    returning r.identity_id
		), touched as (
		    insert into work_item (tenant_id, kind, subject)
		    select current_tenant(), 'provisioning', identity_id from over
		     union
		    select current_tenant(), 'provisioning', identity_id from begun
		)
		select (select count(*) from begun), (select count(*) from over)`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"now": now}).Scan(&started, &ended); err != nil {
		return 0, 0, fmt.Errorf("settle reasons: %w", err)
	}
	return started, ended, nil
}

// Extend moves the end of one live reason. Who extends it need not be who gave it.
func Extend(ctx context.Context, tx *pg.Tx, reasonID string, until time.Time) error {
	const sql = `
		with extended as (
		    update access_reason r
		       set ends_at = @until, end_reason = null
		     where r.id = @id
		       and r.state <> 'ended'
		    returning r.identity_id
		)
		insert into work_item (tenant_id, kind, subject)
		select current_tenant(), 'provisioning', identity_id from extended`
	return pg.Exec(ctx, tx, "extend reason", sql, pgx.NamedArgs{"id": reasonID, "until": until})
}
