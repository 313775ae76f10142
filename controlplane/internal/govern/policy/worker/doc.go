// Package worker evaluates what is enqueued: people who have changed, everybody after a change of policies or roles,
// and role assignments that start or end. It owns the table policy_walk, the progress of the evaluation of everybody.
//
// A walk is running until it has met everybody, in the order of their ids, a batch in each transaction; a crash repeats
// one batch. If conditions compare dates, a new day of the tenant starts a walk too. Package policy hands Kinds to the
// queue.
//
// Example: a policy is changed. The next pass begins a walk over 50,000 people, and 25 passes of 2,000 end it.
package worker
