// Package delegation keeps who decides for whom, and for how long. It owns the table decision_delegation and serves
// /decision-tasks/delegations.
//
// A delegation is scheduled, active, ended or revoked. When it becomes active, its delegate decides open tasks too,
// unless include_open is false; when it ends, open tasks return to the delegator:
//
//	scheduled → active → ended, revoked
//	scheduled → ended, revoked
//
// rules.go refuses cycles, chains of more than three and overlaps. Package inbox adds the routes, and its worker calls
// Turn when a delegation begins or ends, and EndOf when somebody has left.
//
// Example: Ada delegates request_approval to Ben from Monday to Friday. On Monday Turn makes Ben an assignee of Ada's
// open approvals, acting for her; on Friday he is dropped from those that are still open.
package delegation
