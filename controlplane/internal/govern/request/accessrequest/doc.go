// Package accessrequest is the resource of access requests: AccessRequest with its items, their statuses and rules,
// and the SQL that reads and inserts them. It owns the tables access_request, access_request_item and
// access_request_comment.
//
// The status of a request follows from those of its items (status.go):
//
//	submitted -> pending_approval | blocked -> approved -> (scheduled) -> provisioning -> fulfilled | failed -> closed
//	             rejected, cancelled, expired
//
// All functions join the transaction of their caller. visible_request() in the database decides who sees a request.
//
// Package request and its other parts use it. Changes of stored requests go through package change.
//
// Example: Find(ctx, tx, id) returns REQ-000123 with two items, one approved and one pending_approval. Its status is
// pending_approval.
package accessrequest
