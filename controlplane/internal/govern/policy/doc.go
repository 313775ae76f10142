// Package policy serves access policies under /policies: a policy names people by a condition, and what they are given
// or may not hold. A policy with birthright applies by itself when an identity is created or changes. What policies
// give are reasons of the ledger; provisioning makes them true in the target systems.
//
// The parts, from the lowest: accesspolicy (the policies themselves) and impact (what a change does to access);
// table (decision tables) and evaluation (what the rules say of a person); simulation and worker, which do not import
// each other; decisiontable (checks, import and export of decision tables).
//
// The evaluation converges. Whatever may change what rules say enqueues work: policy for a person, policy_sweep for
// everybody. One evaluator at a time takes the items of a tenant, compares what the policies say with the reasons that
// are in force, and adds and ends the difference, in one transaction. A crash leaves the items where they were, and an
// item too many finds nothing to do. A person who is deactivated or archived loses every reason of any kind.
//
// Example: an identity moves from Nursing to Sales. Its item in the queue ends the reasons of the policy Nurses, after
// the grace period of the policy, and adds those of the policy Sales.
//
// A function that takes a transaction joins it; a method of a Service opens its own.
package policy
