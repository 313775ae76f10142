// Package conflict decides which separation-of-duties policies the access of a person violates, and which smallest
// sets of grants would have to be removed. It is pure: it uses no database and no clock. Callers load the policies, the
// duties with the entitlements of their members, and the person's access, current and pending.
//
// Compile makes Rules of policies and duties once. Rules are read-only, and several goroutines may use them at
// once. Rules.Suspects is the fast first pass over all people: it takes entitlements alone, and leaves out people who
// cannot be in violation. Rules.Check decides exactly, with contexts, pending access and the past, and explains:
// the sides with the grants that make each of them, the grade, and the smallest cures.
//
// Package rulebook compiles the stored policies; packages check and violation evaluate with them.
//
// Example: the policy "Vendors and payments" has the sides "Maintain vendors" and "Pay". A person holds the group
// VENDOR-EDIT directly, and PAY-RUN through the nested group FINANCE. Check returns one violation with both sides; its
// cures are the removal of VENDOR-EDIT and the removal of FINANCE, each of one grant.
package conflict
