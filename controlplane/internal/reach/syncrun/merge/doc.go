// Package merge writes the staged records of a sync run into the store, by set-based statements: one a table, not a
// call a record.
//
// It writes, for the packages that own them, identity, identity_source, account, entitlement, entitlement_edge and
// access_grant. Each row has a hash of what was read, so a record that is as it was costs a comparison. A record is
// new, updated, unchanged, or has reappeared; removals are package reconcile's.
//
// A Pipeline cuts the chunks into spans of some ten thousand records and merges each in three parts, in this order:
// Identities, AccountsAndEntitlements, Grants. With 50,000 staged records, the first span holds 20,000 of them; while
// its accounts are merged, the people of the second span are. A grant that names a member of a later span is merged by
// LateGrants at the end; one that never finds its member is Unresolved.
//
// Package worker runs the pipeline, each part in a transaction that also notes it in sync_merge.
package merge
