// Package reconcile prevents mass removals after an incomplete sync run. It compares the staged records of a run with
// the merged ones, checks the changes against the safety limits of the connector, holds changes above a limit for
// review, and applies removals in two steps: missing first, removed if the absence is proven again.
//
// It has the words that its packages share, and finds runs for them. The worker of sync runs calls them in this order.
// When all is read, evaluation.Evaluate fills sync_change (by package compare), weighs it (by the rules of package
// safety) and writes what is held to sync_hold. The worker then merges the staged rows that are not held, and calls
// removal.Apply and removal.Settle in the transaction that ends the merge. A release of what was held (package hold)
// puts the run back to applying, and the same steps follow for what was released. hold.Supersede and hold.Expire end
// undecided changes. Package changes shows what a run changes, and what it holds.
//
//	pending -> applied | skipped       a change of sync_change
//	held -> pending | discarded
//	previewed
//
// A directory of 400 accounts answers with 40. The 360 missing accounts are more than the limit of 12 (three percent),
// so they are held: nothing goes missing, the run is held, and an administrator reads "only 40 of 400 accounts came".
package reconcile
