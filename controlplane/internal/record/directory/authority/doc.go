// Package authority merges the source records of an identity. It owns the table identity_source: one row for each
// record of a connector, with the values that it reports (identity_source.told).
//
// A field has the value of the record whose connector has the lowest authority_rank; of equal ranks, that of the
// connector created first. The order of sync runs decides nothing. A record counts while it is not removed and its
// connector is not deleted. A pinned field keeps its value (package pin), and so does a field that was set through the
// API and that no source reports.
//
// Sync runs call MergeRecords with a temporary table of their records; Reapply and ApplyRanks do the same for stored
// records; DeactivateRemoved and ReactivateReturned handle identities that leave all sources or come back.
//
// Example: Workday (rank 10) reports department Sales and Active Directory (rank 20) reports Vertrieb. The identity
// has Sales. If the record of Workday is removed, Reapply changes it to Vertrieb.
package authority
