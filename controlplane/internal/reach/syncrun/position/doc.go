// Package position remembers how far the merged data of a connector reaches, and decides whether the next run reads
// changes or everything.
//
// It owns the table sync_position. Save advances the cursor only if everything that was read is in the store; Choose
// reads everything on the first sync, after a change of the settings, after seven days, after one day if the target
// has not shown that its changes tell of removed memberships, and if there is no cursor. FindLimited lets a limited
// run continue where the one before it stopped.
//
//	p, _ := Find(ctx, tx, connector)
//	ask, reason := Choose(p, settings) // ask.Incremental, or reason "full_older_than_7d"
//
// Package worker calls it when it takes a run for the first time, and when the run ends.
package position
