// Package access keeps what can be held and who holds it: entitlements, their nesting, and grants. It owns the tables
// entitlement, entitlement_edge and access_grant, the paths /entitlements and /entitlements/grants, and the grants
// beneath an identity and an account.
//
// A grant is direct when the target system says that the account holds the entitlement, and inherited when it follows
// from nesting. Inherited grants are rows like the others: ExpandInherited brings them up to date after a sync. Who is
// seen is decided by visible_grant() and visible_entitlement() in the database alone.
//
// Why somebody should hold a grant is the ledger's: a grant tells its reasons, what should be and what is, and orders
// to give, revoke and extend write reasons and nothing else. The target follows by provisioning.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package access
