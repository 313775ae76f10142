// Package rulebook prepares all separation-of-duties policies of a tenant that are evaluated, and keeps them in memory.
// It owns no table; it reads separation_policy, duty and duty_member.
//
// Revision. Every transaction that changes policies, duties, contents of roles or entitlements in duties inserts a row
// into separation_change, see the triggers of the migration. The rows that a transaction sees are the revision: For
// compares it with that of the book in memory, which costs one statement, and loads only after a difference. A row of
// the transaction's own is never part of a revision in memory, because more changes may follow in it.
//
// Callers: the check of one person, the scan of all people, and simulations.
//
// Example: a sync run reads the group VENDOR-EDIT, which a duty names by its external ID. Its transaction raises the
// revision, and the next For loads the duty with the new entitlement.
package rulebook
