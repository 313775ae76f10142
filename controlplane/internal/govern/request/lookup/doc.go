// Package lookup reads what a request refers to: recipients, roles and entitlements, accounts, and access or requests
// that exist already. It owns no table.
//
// Each function answers for many items in one statement. Resource.CheckParameters holds given parameters against those
// of a role.
//
// Package draft calls it.
//
// Example: Held(ctx, tx, asked) returns for an item that requests the entitlement vpn until June the Holding "until
// 2026-12-31, by a policy".
package lookup
