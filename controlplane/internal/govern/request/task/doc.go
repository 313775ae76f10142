// Package task connects requests with the decision tasks of their approvals. It owns no table.
//
// Matter describes an item to its approvers. Find, Choose and NotAsked find the task that an approver means when they
// decide or reassign through the request instead of the inbox.
//
// Package request calls it.
//
// Example: two people are asked about an item. Choose returns the task of the viewer, or the fault several_tasks for
// an administrator who named none.
package task
