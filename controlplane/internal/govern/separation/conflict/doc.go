// Package conflict decides which separation-of-duties policies the access of a person violates, and which smallest set
// of grants would have to go. It is pure: it knows no database and no clock. Whoever asks it has loaded the policies,
// the duties with what their members come to, and the person's access, current and pending.
//
// Compile makes Rules of policies and duties once. Rules are read-only, and several goroutines may use them at
// once. Rules.Suspects is the fast first pass over everybody: it takes entitlements alone, and leaves out whoever
// cannot be in violation. Rules.Check decides exactly, with contexts, pending access and the past, and explains:
// the sides with the grants that make each of them, the grade, and the smallest cures.
//
// Callers: the scan of all people, the check of the people whom a sync touched, the preview and the submission of
// access requests, each approval, the prediction, and the simulation of policies, duties and roles.
//
// Example: the policy "Vendors and payments" has the sides "Maintain vendors" and "Pay". A person holds the group
// VENDOR-EDIT directly, and PAY-RUN through the nested group FINANCE. Check returns one violation with both sides; its
// cures are the removal of VENDOR-EDIT and the removal of FINANCE, each of one grant.
package conflict
