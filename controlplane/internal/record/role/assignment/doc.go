// Package assignment assigns roles to people by a decision: by hand, by a request or in an emergency. It owns the table
// role_assignment, and writes the reasons of assignments into the ledger.
//
//	scheduled ──▶ active ──▶ ended
//
// An assignment is a reason for each entitlement that its role has now. What the role gets later, the evaluation of
// policies adds. Settle starts and ends assignments on their dates; package govern/policy/worker calls it. Packages
// govern/fulfil and govern/rolemodel/member assign and unassign.
//
// Example: Assign of a role with two entitlements until 31 March inserts one assignment and two reasons with that end.
package assignment
