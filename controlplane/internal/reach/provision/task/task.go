package task

import (
	"slices"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Operations of tasks.
const (
	CreateAccount = "create_account"
	UpdateAccount = "update_account"
	RenameAccount = "rename_account"
	Enable        = "enable"
	Disable       = "disable"
	DeleteAccount = "delete_account"
	Unlock        = "unlock"
	SetPassword   = "set_password"
	Grant         = "grant"
	Revoke        = "revoke"
)

// States of a task.
const (
	Queued    = "queued"
	Blocked   = "blocked" // another task has to be done first, or the task is held by a policy
	Running   = "running"
	Verifying = "verifying" // done as the target says; a reading of the target has still to show it
	Retrying  = "retrying"
	Done      = "done"
	Failed    = "failed"
	Manual    = "manual" // a person has to do it
	Cancelled = "cancelled"
	Simulated = "simulated"
)

// Lanes. What is urgent is done before everything else.
const (
	Normal = "normal"
	Urgent = "urgent"
)

// Modes in which a connector writes, and of its tasks.
const (
	ModeOff      = "off"
	ModeSimulate = "simulate"
	ModeManual   = "manual"
	ModeAuto     = "auto"
)

// Where tasks come from, beside the kinds of reasons.
const (
	FromLifecycle = "lifecycle"
	FromDrift     = "drift"
	FromManual    = "manual"
)

// Why we disabled an account.
const (
	ForLeft     = "left"
	ForLeave    = "leave"
	ForUnwanted = "unwanted"
	ForOrder    = "order"
)

// ConnectorOps are the operations as connectors know them.
var ConnectorOps = map[string]v1.ProvisionOp{
	CreateAccount: v1.OpAccountCreate,
	UpdateAccount: v1.OpAccountUpdate,
	RenameAccount: v1.OpAccountRename,
	Enable:        v1.OpAccountEnable,
	Disable:       v1.OpAccountDisable,
	DeleteAccount: v1.OpAccountDelete,
	Unlock:        v1.OpAccountUnlock,
	SetPassword:   v1.OpAccountPassword,
	Grant:         v1.OpEntitlementGrant,
	Revoke:        v1.OpEntitlementRevoke,
}

// IsAboutAccount are the operations that decide whether an account is there and can be used: of these, one at a time is
// open.
func IsAboutAccount(operation string) bool {
	return slices.Contains([]string{CreateAccount, Enable, Disable, DeleteAccount}, operation)
}

// Payload is what a task carries to its target, beside the records it is about.
type Payload struct {
	// Attributes of the account to create or update. Absent in operations that need none.
	Account *v1.ProvisionAccount `json:"account,omitempty"`
	// Values of a new account that an administrator ordered. A retry computes the others again, and keeps these.
	Given *v1.ProvisionAccount `json:"given,omitempty"`
	// How the new password is made. Nil: no password is set.
	Credential *v1.NewCredential `json:"credential,omitempty"`
	// Why the account is disabled: left, leave, unwanted or order.
	DisabledFor string `json:"disabled_for,omitempty"`
	Before      string `json:"before,omitempty"` // how the grant stood that is revoked
}

// Ref names a record that a task is for.
type Ref struct {
	// Type of the record, such as access_reason or decision_task.
	Type string `json:"type"`
	// ID of the record.
	ID string `json:"id"`
}

// Open is a task that has not ended, as the planner sees it.
type Open struct {
	ID          string  `db:"id"`
	ConnectorID string  `db:"connector_id"`
	Operation   string  `db:"operation"`
	AccountID   *string `db:"account_id"`
	GrantID     *string `db:"grant_id"`
	State       string  `db:"state"`
	Mode        string  `db:"mode"`
	Lane        string  `db:"lane"`
	// Unsure says that the target may have the change although no answer came.
	Unsure bool `db:"unsure"`
	// DisabledFor is why the task disables the account. Nil: it does not.
	DisabledFor *string `db:"disabled_for"`
	// Before is the status of the grant when its revocation was ordered.
	Before string `db:"before"`
}

// disabledReason is why the task disables its account; empty if it does not.
func (o Open) disabledReason() string {
	if o.DisabledFor == nil {
		return ""
	}
	return *o.DisabledFor
}

// heldBefore says that the grant which the task revokes was held when that was ordered.
func (o Open) heldBefore() bool {
	return o.Before == "" || o.Before == "active" || o.Before == "ending" || o.Before == "revoking"
}
