// Package action applies lifecycle actions to identities: deactivate, reactivate, leave, return, merge, unpin, and
// what becomes due by date. It owns no table; it writes identity and what refers to it.
//
// The files: action.go the actions with their dry run; merge_identities.go; handover.go the responsibilities of
// leavers; retention.go archiving; unpin.go; due.go what a background worker calls for each tenant.
//
// Example: POST /identities/{id}/deactivate with dry_run=true returns the identity as it would be, with the number of
// accounts and grants that would end, and writes nothing.
package action
