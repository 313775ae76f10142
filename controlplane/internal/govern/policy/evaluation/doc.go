// Package evaluation decides what the rules of a tenant give a person, and writes the difference into the ledger. Rules
// are access policies and the membership rules of roles; role assignments count beside them. It owns the table
// access_policy_change, which circuit breakers count by.
//
// A Rulebook is all rules of a tenant at one moment. EachPerson reads people with everything that conditions ask for.
// Diff is pure: it compares what the rules say of a person with the reasons in force. Evaluate does so for some people
// and writes the changes, except what an administrator has revoked (revoked.go) and what a circuit breaker stops
// (breaker.go). Package worker calls Evaluate; package simulation uses the rest and writes nothing.
//
// Example: the rulebook has a policy that gives Staff to all employees. For a contractor who holds it by the policy,
// Diff is one change that ends the reason, at the end of the policy's grace period.
package evaluation
