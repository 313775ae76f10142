// Package access joins what concerns entitlements and who holds them. It lists grants and members, today and in the
// past, and tells how entitlements are used; its routes are those of its packages as well:
//
// entitlement (reads and changes entitlements), grant (reads grants and their reasons), order (assigns, revokes,
// extends and accepts), explain (why access is there), nesting (inherited grants) and grantstatus (what provisioning
// writes).
//
// A grant is direct if the target system says that the account holds the entitlement, and inherited if it follows from
// nesting. Why somebody should hold a grant is the ledger's: orders write reasons, and the target follows by
// provisioning. Who is seen is decided by visible_grant() and visible_entitlement() in the database alone.
//
// A function that takes a transaction joins it; a method of a Service opens its own.
package access
