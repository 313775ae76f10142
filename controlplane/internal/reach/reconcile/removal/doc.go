// Package removal makes true what a sync run removes, or finds again: records go missing, are removed for good, or
// return.
//
// It updates account, entitlement, access_grant, entitlement_edge and identity_source, and what goes along with them:
// the grants of an account or entitlement that is removed, and the people whose source no longer has them. It closes
// the changes in sync_change: applied, or skipped if the row is no longer as it was when it was weighed.
//
// An account whose status was active with no missed runs when it was weighed, and that a user has deprovisioned
// since, is skipped with the reason "it was no longer as it had been when this was weighed".
//
// Package conclusion of syncrun calls Apply and Settle in the transaction in which a run ends.
package removal
