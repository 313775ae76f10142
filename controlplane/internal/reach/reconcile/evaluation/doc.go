// Package evaluation weighs what a sync run would change and decides what of it is held for a person.
//
// It writes sync_change (from the r_change of package compare) and sync_hold, and marks the staged rows of held
// records, so that the merge leaves them out. For each kind that trips it names a probable cause: fewer records
// announced, a field that becomes empty, a branch of the tree that is gone.
//
// A run removes 30 of 40 members of a group: grant_removed trips by rule total_loss, its 30 changes are held, the hold
// says "30 of 30 are of Administrators: its members may not have been read", and everything else of the run is merged.
//
// Package worker of syncrun calls Evaluate once all is read; it may be called again.
package evaluation
