// Package emergency has emergency access reviewed after it was granted. It owns the kind emergency_review of decision
// tasks and the column review of access_request_item.
//
// The states of a review:
//
//	open -> confirmed
//	     -> revoked: the access ends
//	     -> overdue: administrators are asked too
//
// The reviewers are the manager of the recipient, the owners of the resource, and those whom the approval rule would
// have asked. The requester and the recipient never review.
//
// Package request composes it; the inbox calls Reviews.Answer; the work queue does the work of
// Reviews.Kinds.
//
// Example: access was granted at 22:00 and the rule says PT24H. If no reviewer decides until 22:00 of the next day,
// administrators get the task too.
package emergency
