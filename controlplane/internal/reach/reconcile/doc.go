// Package reconcile keeps a half-read directory from looking as if everybody had left. It compares what a run has
// staged with what is known, weighs the changes against the limits of the connector, holds back what is too large to
// happen unseen, and makes removals true in two steps: missing first, gone when absence is proven again.
//
// The engine of runs calls it in this order. Evaluate comes when all is read. The engine then merges the staged rows
// that are not held, and calls ApplyRemovals and Settle in the transaction that ends the merge. A release of what was
// held puts the run back to applying, and the same three steps follow for what was let go. Supersede and Expire end
// what nobody decided.
package reconcile
