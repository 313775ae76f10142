package effective

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// held is a grant of a person's account.
type held struct {
	IdentityID    string
	ID            string
	AccountID     string
	EntitlementID string
	Direct        bool
	Pending       bool
	Since         time.Time
	Used          *time.Time
}

func (g held) source() Source {
	return Source{Kind: KindGrant, ID: g.ID, Own: []string{g.EntitlementID}, AccountID: g.AccountID,
		Pending: g.Pending, Since: &g.Since}
}

const grantsSQL = `
	select a.identity_id::text, g.id::text, a.id::text, g.entitlement_id::text, g.directness = 'direct',
	       g.status = 'pending', coalesce(g.granted_at, g.as_is_since), g.last_used_at
	  from account a
	  join access_grant g on g.account_id = a.id
	 where a.identity_id = any(@ids::text[]::uuid[])
	   and holds_access(g.status)
	 order by g.id`

// reason is one that allows an entitlement and has not ended.
type reason struct {
	IdentityID    string
	ID            string
	EntitlementID string
	AccountID     string // empty: the main account of the system
	RoleID        string
	SourceType    string
	SourceID      string
	Since         time.Time
}

// source is what gives the access of a reason that no grant is there for.
func (r reason) source() Source {
	s := Source{ID: r.SourceID, Own: []string{r.EntitlementID}, RoleID: r.RoleID, Pending: true, Since: &r.Since}
	switch r.SourceType {
	case "role_assignment":
		s.Kind = KindAssignment
	case "role":
		s.Kind = KindRole
	case "policy":
		s.Kind = KindPolicy
	case "access_request":
		s.Kind = KindRequestItem
	default:
		s.Kind, s.ID = KindOrder, r.ID
	}
	return s
}

const reasonsSQL = `
	select r.identity_id::text, r.id::text, r.entitlement_id::text, coalesce(r.account_id::text, ''),
	       coalesce(r.role_id::text, ''), r.source_type, r.source_id::text, r.starts_at
	  from access_reason r
	 where r.identity_id = any(@ids::text[]::uuid[])
	   and r.state <> 'ended'
	   and r.effect = 'allow'
	   and r.entitlement_id is not null
	   and not exists (select from access_reason d
	                    where d.identity_id = r.identity_id
	                      and d.connector_id = r.connector_id
	                      and d.effect = 'deny'
	                      and d.state = 'active'
	                      and (d.entitlement_id is null or d.entitlement_id = r.entitlement_id)
	                      and (d.account_id is null or d.account_id = r.account_id))
	 order by r.id`

// item is a request item for new access that has not led to a reason.
type item struct {
	IdentityID    string
	ID            string
	EntitlementID string
	RoleID        string
	Since         time.Time
}

const itemsSQL = `
	select i.beneficiary_id::text, i.id::text, coalesce(i.entitlement_id::text, ''), coalesce(i.role_id::text, ''),
	       i.updated_at
	  from access_request_item i
	 where i.beneficiary_id = any(@ids::text[]::uuid[])
	   and i.kind = 'grant'
	   and i.status in ('submitted', 'pending_approval', 'blocked', 'approved', 'scheduled', 'provisioning')
	   and not i.given
	   and not (@decided and i.status in ('submitted', 'pending_approval', 'blocked'))
	 order by i.id`

// task is a provisioning task that has not ended.
type task struct {
	IdentityID    string
	ID            string
	EntitlementID string
	Since         time.Time
}

const tasksSQL = `
	select t.identity_id::text, t.id::text, t.entitlement_id::text, t.created_at
	  from provisioning_task t
	 where t.identity_id = any(@ids::text[]::uuid[])
	   and t.operation = 'grant'
	   and t.entitlement_id is not null
	   and t.state in ('queued', 'blocked', 'running', 'verifying', 'retrying', 'manual')
	 order by t.id`

// ended is access that a person held until a time.
type ended struct {
	IdentityID    string
	EntitlementID string
	Until         time.Time
}

// pastSQL finds what accounts held while the person owned them: periods that have ended, and those that went on after
// the account had another owner.
const pastSQL = `
	select u.identity_id::text, u.entitlement_id::text, max(u.until)
	  from (select a.identity_id, p.entitlement_id, p.until
	          from account a
	          join access_grant_past p on p.account_id = a.id
	         where a.identity_id = any(@ids::text[]::uuid[])
	           and p.until > a.owner_since
	           and p.until >= @since
	         union all
	        select o.identity_id, p.entitlement_id, least(p.until, o.until)
	          from account_owner_past o
	          join access_grant_past p
	            on p.account_id = o.account_id
	           and p.since < o.until
	           and p.until > o.since
	         where o.identity_id = any(@ids::text[]::uuid[])
	           and least(p.until, o.until) >= @since
	         union all
	        select o.identity_id, g.entitlement_id, o.until
	          from account_owner_past o
	          join access_grant g
	            on g.account_id = o.account_id
	           and g.as_is_since < o.until
	           and holds_access(g.status)
	         where o.identity_id = any(@ids::text[]::uuid[])
	           and o.until >= @since) u
	 group by u.identity_id, u.entitlement_id`

// read sends all queries that depend on the people alone, at once.
func (l *load) read(ctx context.Context) error {
	if len(l.ids) == 0 {
		return nil
	}
	args := pgx.NamedArgs{"ids": l.ids, "decided": l.decided, "since": l.now.Add(-l.past)}
	var b pgx.Batch
	b.Queue(grantsSQL, args).Query(into(&l.grants))
	b.Queue(reasonsSQL, args).Query(into(&l.reasons))
	b.Queue(itemsSQL, args).Query(into(&l.items))
	b.Queue(tasksSQL, args).Query(into(&l.tasks))
	if l.past > 0 {
		b.Queue(pastSQL, args).Query(into(&l.before))
	}
	if err := l.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("read access of people: %w", err)
	}
	return nil
}

// into reads rows by the order of the fields.
func into[T any](list *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	}
}
