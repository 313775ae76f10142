// Package review keeps policy reviews: access of one person by one access policy with on_no_match review, which the
// policy no longer gives them, and which is kept until a decision. It owns the table policy_review.
//
// States and events are the table in state.go:
//
//	state   unmatched  unchanged  settled  kept  ended
//	open    open       open       closed   kept  closed
//	kept    open       kept       closed   -     -
//	closed  open       closed     closed   -     -
//
// unmatched: access is found that no decision covers. unchanged: the access already has an end, or the policy is
// stopped. settled: the person meets the policy again, or no longer has the access.
//
// Record writes what an evaluation of people found. Decide carries a decision out: it ends the reasons of the policy,
// at once or on a date, and provisioning revokes what no other reason gives. A person who meets the policy again gets
// the access again.
//
// Package evaluation calls Record, and package decisionkind asks in the inbox and calls Decide.
//
// Example: Ann moves from Nursing to Sales. The policy Nurses has on_no_match review. Record opens a review; her new
// manager keeps the access until June, and the ledger ends it then.
package review
