// Package separation serves separation of duties under /policies: duties, the policies about them, violations, scans
// and predictions.
//
// The parts, from the lowest: conflict (the evaluation, pure), separationpolicy and duty (what is stored), rulebook
// (the policies prepared for evaluation, in memory), effective (the access of people), check (what policies say about
// one person), violation (what was found), revocation (which revokes access for policies), scan (which finds
// violations), predict and simulation. Package request calls check.
//
// Example: an administrator creates the duties "Maintain vendors" and "Pay", and the policy "Vendors and payments" of
// the kind pair with one of them on each side. While the policy is a draft nothing is evaluated. In shadow it is
// evaluated and prevents nothing.
//
// A function that takes a transaction joins it; a method of a Service opens its own.
package separation
