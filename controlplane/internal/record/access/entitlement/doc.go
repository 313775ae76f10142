// Package entitlement reads and changes entitlements.
//
// It owns the table entitlement and the paths under /entitlements that are about entitlements themselves: lists,
// details, hierarchies, owners, retirement, and changes of one or many. Administrators write all members; owners write
// what describes what they own. Who may see an entitlement is decided by the database (visible_entitlement,
// readable_entitlement).
//
// Package access adds its routes; packages grant, order and explain read entitlements through Lookup and ByIDs.
package entitlement
