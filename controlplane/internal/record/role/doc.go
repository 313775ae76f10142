// Package role keeps roles as facts: bundles of entitlements, of any number of target systems, that rules give to
// people. It owns the tables role and role_entitlement and the path /entitlements/roles.
//
// A role holds nobody by itself. Whoever is given one has a reason for each of its entitlements, which names the role;
// when what the role holds changes, Changed has the rules of those people looked at again, and their reasons follow.
//
// Roles are configuration: administrators write them, auditors read them. A function that takes a transaction joins it;
// a method of Service opens its own.
package role
