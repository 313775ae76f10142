package attempt

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Job is a task that this process is to send, with the records it is about.
type Job struct {
	// ID is the task's.
	ID    string `db:"id"`
	N     int    `db:"attempts"` // which attempt
	Tries int    `db:"tries"`    // that counted before
	// Operation is what to do; see package task.
	Operation string `db:"operation"`
	// Mode is the task's: what is sent (auto), or only computed (simulate).
	Mode   string `db:"mode"`
	Lane   string `db:"lane"`
	Unsure bool   `db:"was_unsure"` // it may have been made: look first
	// Key is the idempotency key. It is the same in every attempt, so that a target that supports
	// it makes the change once.
	Key string `db:"idempotency_key"`
	// RequestID is what the logs of the target's side and ours have in common.
	RequestID   string       `db:"request_id"`
	Payload     task.Payload `db:"payload"`
	CreatedFrom string       `db:"created_from"`
	IdentityID  *string      `db:"identity_id"`
	AccountID   *string      `db:"account_id"`
	GrantID     *string      `db:"grant_id"`
	// RemoteID is the account's key in the target, NativeRef its address there. Both are empty
	// before the account is made.
	RemoteID  string `db:"remote_id"`
	NativeRef string `db:"native_ref"`
	Username  string `db:"username"`
	Right     string `db:"right_id"` // the entitlement, as the target knows it
	// RightRef is the entitlement's address in the target.
	RightRef string `db:"right_ref"`
	// EndsAt is the end of the access, for targets that enforce it themselves. Nil: no end.
	EndsAt  *time.Time `db:"ends_at"`
	Deleted bool       `db:"deleted"` // full syncs do not show the account any more
}

// JobColumns are those of a task t that is to be sent, with the records of aroundJob.
const JobColumns = `
	t.id, t.attempts, t.tries, t.operation, t.mode, t.lane, t.idempotency_key, t.payload, t.created_from, t.identity_id,
	t.account_id, t.grant_id, case when a.status = 'provisioning' then '' else coalesce(a.external_id,
	'') end as remote_id, coalesce(a.native_ref, a.native_identity, '') as native_ref,
	coalesce(a.username, '') as username, coalesce(e.external_id, '') as right_id,
	    coalesce(e.native_ref, e.native_identity, '') as right_ref, g.ends_at,
	    coalesce(a.status = 'deleted', false) as deleted`

// AroundJob joins to tasks t the records of JobColumns.
const AroundJob = `
	left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
	left join entitlement e on e.tenant_id = t.tenant_id and e.id = t.entitlement_id
	left join access_grant g on g.tenant_id = t.tenant_id and g.id = t.grant_id`

// target is the account as the connector gets it. A new one is known by its name alone.
func (j Job) target() v1.ProvisionTarget {
	t := v1.ProvisionTarget{Kind: "account", RemoteID: j.RemoteID, NativeRef: j.NativeRef, Username: j.Username}
	if j.Operation == task.CreateAccount {
		t.RemoteID, t.NativeRef = "", ""
		if j.Payload.Account != nil && j.Payload.Account.Username != nil {
			t.Username = *j.Payload.Account.Username
		}
	}
	return t
}

// Request is what the target of an opened connector is asked for.
func (j Job) Request(o callable.Connector) v1.ProvisionRequest {
	req := v1.ProvisionRequest{
		ConnectorBusinessID: o.BusinessID,
		AuthConfig:          o.Auth,
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
