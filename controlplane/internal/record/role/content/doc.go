// Package content reads what roles hold: their entitlements, and those of the roles that are nested in them. It reads
// the tables role_entitlement and entitlement, and owns none.
//
// Packages assignment, govern/policy/evaluation and govern/pack/accessdiff give people what it reads.
//
// Example: the role Ward holds one entitlement and nests the role Nurse with two. Entitlements gives three for Ward.
package content
