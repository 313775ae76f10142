// Package separationpolicy keeps separation-of-duties policies, each with all of its versions. A policy names duties on
// its sides, never entitlements. It owns the tables separation_policy and separation_policy_version.
//
// States. A draft is only stored. In shadow a policy is evaluated and prevents nothing. In enforce its effects apply. A
// disabled or deleted policy, and one outside valid_from and valid_to, is not evaluated. A policy is blind while a side
// of it has no duty that a person could perform; it can always be edited.
//
// What is in a policy is in package definition.
//
// Callers: package separation serves it, package rulebook prepares what is evaluated.
//
// Example: the policy "Vendors and payments" of the kind pair has the sides "Maintain vendors" and "Pay", each with one
// duty. Create stores it as a draft, SetMode enforces it.
//
// A function that takes a transaction joins it.
package separationpolicy
