// Package conclusion draws what follows from all records of a sync run together, in the transaction in which the run
// ends: removals, managers, owners and inherited grants.
//
// It owns no table. Removals are made by package reconcile; managers are resolved by directory/manager; owners come
// from what target systems name (package owners) and from correlation; inherited grants from access/nesting. After a
// full reading everything is looked at, after a reading of changes what the run has changed.
//
// If account 7 was absent for the second time, Draw deletes it and revokes its grants; if that was the last account of
// a group's owner, the group has no owner from the source any more.
//
// Package worker calls Draw after the merge.
package conclusion
