// Package change makes all changes to stored requests. It writes access_request and access_request_item, and owns
// access_request_event.
//
// A Set locks requests (Open, OpenItems), collects decisions, progress, timeline and audit entries, and writes them
// with Apply. Apply also orders and ends access through package fulfil, and publishes request.submitted,
// request.approved and request.rejected, each once.
//
// Locks are taken in one order: fulfilments, requests by id.
//
// Package request calls it for submissions, withdrawals, outcomes of approval chains and progress of fulfilments;
// package emergency for reviews.
//
// Example:
//
//	set, err := change.OpenItems(ctx, tx, []string{itemID}, now)
//	r, item := set.Item(itemID)
//	set.Decide(r, item, accessrequest.Cancelled, "withdrawn", "no longer needed", nil)
//	err = set.Apply(ctx, tx)
package change
