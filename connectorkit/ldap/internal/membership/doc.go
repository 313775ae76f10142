// Package membership grants and revokes memberships of groups, and keeps memberships right when an account gets
// another name.
//
// Directories without referential integrity keep the old DN of an entry that was renamed, moved or deleted in their
// groups. The account loses its memberships then, and the next entry of that name inherits them. Therefore a rename
// rewrites what groups list, and a name is cleared of stale memberships before an account gets it.
//
//	w := &membership.Writer{Change: c}
//	err := w.Apply(true) // grants req.EntitlementRemoteIDs[0] to req.Target
package membership
