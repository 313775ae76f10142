package provision

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// job is a task that this process is to send, with the records it is about.
type job struct {
	ID          string       `db:"id"`
	N           int          `db:"attempts"` // which attempt
	Tries       int          `db:"tries"`    // that counted before
	Operation   string       `db:"operation"`
	Mode        string       `db:"mode"`
	Lane        string       `db:"lane"`
	Unsure      bool         `db:"was_unsure"` // it may have been made: look first
	Key         string       `db:"idempotency_key"`
	RequestID   string       `db:"request_id"`
	Payload     task.Payload `db:"payload"`
	CreatedFrom string       `db:"created_from"`
	IdentityID  *string      `db:"identity_id"`
	AccountID   *string      `db:"account_id"`
	GrantID     *string      `db:"grant_id"`
	RemoteID    string       `db:"remote_id"`
	NativeRef   string       `db:"native_ref"`
	Username    string       `db:"username"`
	Right       string       `db:"right_id"` // the entitlement, as the target knows it
	RightRef    string       `db:"right_ref"`
	EndsAt      *time.Time   `db:"ends_at"`
	Deleted     bool         `db:"deleted"` // full syncs do not show the account any more

	connector string          // of a rehearsal
	failed    *v1.ErrorDetail // of a rehearsal: it cannot be made at all
}

// jobColumns are those of a task t that is to be sent, with the records of aroundJob.
const jobColumns = `
	t.id, t.attempts, t.tries, t.operation, t.mode, t.lane, t.idempotency_key, t.payload, t.created_from, t.identity_id,
	t.account_id, t.grant_id, case when a.status = 'provisioning' then '' else coalesce(a.external_id,
	'') end as remote_id, coalesce(a.native_ref, a.native_identity, '') as native_ref,
	coalesce(a.username, '') as username, coalesce(e.external_id, '') as right_id,
	    coalesce(e.native_ref, e.native_identity, '') as right_ref, g.ends_at,
	    coalesce(a.status = 'deleted', false) as deleted`

const aroundJob = `
	left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
	left join entitlement e on e.tenant_id = t.tenant_id and e.id = t.entitlement_id
	left join access_grant g on g.tenant_id = t.tenant_id and g.id = t.grant_id`

// claim takes tasks that are due: what is urgent first, then the accounts of leavers, then what has waited longest, and
// one of each account, so that changes of an account never overtake one another. With the task, that it is about to be
// sent is written. ended is what this transaction has settled.
func (l *lane) claim(ctx context.Context, tx *pg.Tx, room int, ended []outcome) ([]job, error) {
	room, full, err := l.bound(ctx, tx, room, ended)
	if err != nil || room == 0 {
		return nil, err
	}
	const sql = `
		with candidate as (
		    (select id, account_id, 0 as rank, next_attempt_at as since
		       from provisioning_task
		      where connector_id = $1 and lane = 'urgent' and state in ('queued', 'retrying') and mode <> 'manual'
		          and next_attempt_at <= now() and operation <> all($5::text[])
		      order by next_attempt_at, id
		      limit 8 * $2 + 32)
		    union all
		    (select id, account_id, 1, next_attempt_at
		       from provisioning_task
		      where connector_id = $1 and operation = 'disable' and payload ->> 'disabled_for' = 'left'
		        and state in ('queued', 'retrying') and lane = 'normal' and mode <> 'manual'
		            and next_attempt_at <= now() and operation <> all($5::text[])
		      order by next_attempt_at, id
		      limit 8 * $2 + 32)
		    union all
		    (select id, account_id, 3, next_attempt_at
		       from provisioning_task
		      where connector_id = $1 and lane = 'normal' and state in ('queued', 'retrying') and mode <> 'manual'
		          and next_attempt_at <= now() and operation <> all($5::text[])
		      order by next_attempt_at, id
		      limit 8 * $2 + 32)
		    union all
		    (select id, account_id, 2, lease_until
		       from provisioning_task
		      where connector_id = $1 and state = 'running' and lease_until < now()
		      limit 8 * $2 + 32)
		), first as (
		    select distinct on (coalesce(c.account_id, c.id)) c.id, c.rank, c.since
		      from candidate c
		     where c.account_id is null
		        or not exists (select from provisioning_task o where o.account_id = c.account_id
		            and o.state = 'running' and o.lease_until >= now())
		     order by coalesce(c.account_id, c.id), c.rank, c.since, c.id
		), picked as (
		    select t.id, t.unsure as was_unsure
		      from provisioning_task t
		      join first f on f.id = t.id
		     where t.state in ('queued', 'retrying') or t.state = 'running' and t.lease_until < now()
		     order by f.rank, f.since, t.id
		     limit $2
		       for update of t skip locked
		), taken as (
		    update provisioning_task t
		       set state = 'running', attempts = t.attempts + 1, lease_owner = $3, lease_until = now() + $4::interval,
		           unsure = t.mode <> 'simulate',
		           updated_at = now(), version = t.version + 1
		      from picked p
		     where t.id = p.id
		    returning t.*, p.was_unsure
		), tried as (
		    insert into provisioning_attempt (tenant_id, task_id, n, request_id)
		    select tenant_id, id, attempts, gen_random_uuid() from taken
		    returning task_id, request_id
		)
		select t.was_unsure, r.request_id, ` + jobColumns + `
		  from taken t
		  join tried r on r.task_id = t.id ` + aroundJob + `
		 order by t.lane desc, t.next_attempt_at, t.id`
	rows, err := tx.Query(ctx, sql, l.id, room, l.s.me, lease.String(), full)
	if err != nil {
		return nil, fmt.Errorf("take tasks: %w", err)
	}
	jobs, err := pgx.CollectRows(rows, pgx.RowToStructByName[job])
	if err != nil {
		return nil, fmt.Errorf("take tasks: %w", err)
	}
	return jobs, nil
}

// target is the account as the connector is told of it. A new one is known by its name alone.
func (j job) target() v1.ProvisionTarget {
	t := v1.ProvisionTarget{Kind: "account", RemoteID: j.RemoteID, NativeRef: j.NativeRef, Username: j.Username}
	if j.Operation == task.CreateAccount {
		t.RemoteID, t.NativeRef = "", ""
		if j.Payload.Account != nil && j.Payload.Account.Username != nil {
			t.Username = *j.Payload.Account.Username
		}
	}
	return t
}

// request is what the target is asked for.
func (j job) request(l *lane) v1.ProvisionRequest {
	req := v1.ProvisionRequest{
		ConnectorBusinessID: l.target.BusinessID,
		AuthConfig:          l.target.Auth,
		IdempotencyKey:      j.Key,
		Op:                  task.ConnectorOps[j.Operation],
		DryRun:              j.Mode == task.ModeSimulate,
		Target:              j.target(),
		Account:             j.Payload.Account,
		Credential:          j.Payload.Credential,
		PrincipalKind:       "account",
		Reason:              map[string]string{"task_id": j.ID, "request_id": j.RequestID},
	}
	if j.Right != "" {
		req.EntitlementRemoteIDs = []string{j.Right}
		req.Entitlement = &v1.ProvisionTarget{Kind: "entitlement", RemoteID: j.Right, NativeRef: j.RightRef}
	}
	if j.Operation == task.Grant {
		req.ExpiresAt = j.EndsAt
	}
	return req
}
