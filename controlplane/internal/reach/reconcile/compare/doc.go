// Package compare computes what a sync run would change, before anything of it is merged.
//
// The result is the temporary table r_change, one row for each identity, account, entitlement, grant and nesting that
// is created, updated, disabled, missing, removed or reappears, with the values before and after. Every step is one
// statement over all rows, since a run may have a million of them; the helping tables (r_, c_, w_) belong to the
// transaction.
//
// Absence counts only in scopes that were read to their proven end. An account that is absent there for the first time
// is missing, and removed once it was absent in as many complete readings in a row as the connector requires; a
// tombstone removes it at once.
//
// Only package evaluation calls it.
package compare
