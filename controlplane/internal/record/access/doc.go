// Package access composes the services for entitlements and grants. It lists grants and members, now and in the past,
// and reports how entitlements are used. It serves the routes of its parts:
//
// entitlement (reads and changes entitlements), grant (reads grants and their reasons), order (assigns, revokes,
// extends and accepts), explain (why a grant exists), nesting (inherited grants) and grantstatus (the state that
// provisioning writes).
//
// A grant is direct if the target system reports that the account has the entitlement, and inherited if it follows from
// nesting. Package ledger stores the reasons for grants: orders write reasons, and provisioning changes the target
// system accordingly. visible_grant() and visible_entitlement() in the database decide who sees a grant or an
// entitlement.
//
// A function that takes a transaction joins it; a method of a Service opens its own.
package access
