package task

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Draft is a task that is about to be written down.
type Draft struct {
	ID            string
	ConnectorID   string
	Operation     string
	IdentityID    string
	AccountID     string
	GrantID       string
	EntitlementID string
	Payload       Payload
	Reasons       []string
	CreatedFrom   string
	Mode          string
	Urgent        bool
	After         []string // tasks that have to be done before
	Replaces      []string // pending tasks in whose place it comes: they are cancelled
	Note          string
	Refs          []Ref
	// what it comes in place of may have been made: the target is looked at before it is sent
	Unsure bool
	Failed *v1.ErrorDetail // it cannot be made at all
}
