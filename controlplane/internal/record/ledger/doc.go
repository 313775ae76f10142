// Package ledger stores the reasons for access. A person is to have an entitlement, or an account of a target system,
// as long as at least one reason allows it and no reason denies it. It owns the table access_reason.
//
// Reasons are never deleted; ended reasons are the history of access. Access ends only when its last reason ends, so
// packages that add or end a reason do not need to know about the others.
//
// A function that changes what a person is to have enqueues work of the kind provisioning in the same transaction.
// Package provision takes the work items, calls Desired, and plans changes. An unnecessary item costs one comparison; a
// missing one would leave access without a reason in the target.
//
// Example: a birthright policy and an approved request both give a person the entitlement Mail. The request ends; the
// policy's reason is still active, so the grant stays. When the policy's reason ends too, provisioning removes the
// grant.
//
// Every function joins the transaction of its caller.
package ledger
