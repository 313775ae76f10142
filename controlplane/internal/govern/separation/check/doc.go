// Package check says which separation-of-duties policies the access of one person violates, or would violate with a
// change, and what follows from it. It owns no table and writes nothing.
//
// Person evaluates one person as rulebook and effective have them, and puts what it finds into words: the sides with
// the access that performs them, from where it comes, and the smallest cures. With added access, only violations count
// that the added access is part of: a violation that exists already does not refuse an unrelated request.
//
// The effect of a verdict is the strongest one of its violations. A policy that is enforced has the effect that it
// states for requests; one in shadow mode is only recorded.
//
//	none < record < warn < block
//
// Callers: the prediction, previews and submissions of access requests, approvals, violations and scans.
//
// Example: Ann holds VENDOR-EDIT and asks for FINANCE, which is nested in PAY-RUN. The verdict has one violation of
// "Vendors and payments" with the effect block; its cures are the removal of VENDOR-EDIT and that of the request.
package check
