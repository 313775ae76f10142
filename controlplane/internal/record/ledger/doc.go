// Package ledger keeps why people hold what they hold: reasons. Somebody should have an entitlement, or an account of a
// system, while any reason that allows it is active and none that denies it is. It owns the table access_reason.
//
// A reason is never deleted: one that has ended is the history of access. What ends access is therefore the end of its
// last reason, and nothing else; who gives a reason need not know of the others.
//
// Whatever changes what somebody should hold enqueues work of the kind provisioning, in the same transaction.
// Provisioning takes the items, asks Desired, and plans. An item too many costs a look; one too few would leave
// somebody with access that nobody wants.
//
// Every function takes a transaction and joins it.
package ledger
