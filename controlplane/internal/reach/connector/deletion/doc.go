// Package deletion takes what was read of a deleted connector out of use, and brings it back.
//
//	connected ── Disconnect ──> disconnected ── 30 days, Purge ──> erased
//	    ^──────── Reconnect ────────┘
//
// Disconnect keeps the earlier status of accounts, grants and entitlements beside the new one. Purge erases their
// attributes, some thousand rows a call. FindImpact counts and names what a deletion would affect.
//
//	files: disconnect.go, purge.go, impact.go
//
// The package changes account, access_grant and entitlement. It is called by the package connector, and Purge by the
// program's schedule.
//
//	gone, err := deletion.Disconnect(ctx, tx, connectorID)
//	// gone.Accounts is the number of accounts that were taken out of use
package deletion
