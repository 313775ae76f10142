// Package role has roles: bundles of entitlements, of any number of target systems, that rules and assignments give to
// people. It owns the tables role, role_entitlement, role_child and role_version, and the path /entitlements/roles.
//
//	draft ──▶ proposed ──▶ active ◀──▶ deprecated ──▶ retired
//
// A draft has no effect; a deprecated role takes no new members; a retired one gives nothing. A person who has a role
// has a reason in the ledger for each entitlement in it. When that changes, Changed enqueues the evaluation of its
// holders.
//
// Package assignment, above this one, assigns roles to people. Packages govern/policy, govern/rolemodel and govern/pack
// use both. Administrators write roles, auditors read them, and owners read their own.
//
// Example: a role with two entitlements gets a third. Changed enqueues its 40 holders, and the evaluation adds a reason
// for the third entitlement to each.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package role
