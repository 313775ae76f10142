package task

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Draft is a task that is about to be written down.
type Draft struct {
	// ID is chosen by the drafting code, so that drafts can refer to each other.
	ID          string
	ConnectorID string
	// Operation is what to do; see the constants.
	Operation string
	// IdentityID, AccountID, GrantID and EntitlementID are what the task is about; empty: nothing.
	IdentityID    string
	AccountID     string
	GrantID       string
	EntitlementID string
	Payload       Payload
	// Reasons are the IDs of the reasons in the ledger that ask for the change.
	Reasons []string
	// CreatedFrom is a kind of reason, or lifecycle, drift or manual.
	CreatedFrom string
	// Mode is auto, manual or simulate.
	Mode     string
	Urgent   bool
	After    []string // tasks that have to be done before
	Replaces []string // pending tasks in whose place it comes: they are cancelled
	// Note is a remark for people.
	Note string
	// Refs are further records that the task is for.
	Refs []Ref
	// what it comes in place of may have been made: the target is looked at before it is sent
	Unsure bool
	Failed *v1.ErrorDetail // it cannot be made at all
}
