// Package binding binds what installed packs wait for: selectors that find an entitlement by now, policies that have
// something to give by now, and objects in the state leaving that no one holds any more. It writes the tables of
// package installation, and the objects of package object.
//
// Kinds are its work on the queue, which binds two seconds after a sync run has ended, and once a minute otherwise.
// While no installation waits, nothing is written. If an installation cannot be bound, it is tried again a minute
// later. Package conflict calls Bind when a conflict is resolved.
//
// Example: a sync run reads the group Staff for the first time. The birthright that selects it gets the group as its
// resource, its object becomes installed, and the audit event sector_pack.bound names it.
package binding
