// Package lookup reads single users, and whether they are in a group or have a right.
//
// # Purpose
//
// A Group answers by a filter, by reading the group, or by reading the user, whichever the target supports. A filter
// is believed only after it has found a member and has not found a user that does not exist. Accounts serves reads of
// single accounts.
//
// # States
//
// The trust in the filter of a target is kept in provider.Cache: untried, useless, respected, proven.
//
// # Callers
//
// Package write, before and after a change of a membership; connectorkit/scim for Read.
//
// # Example
//
//	g := lookup.NewGroup(session, cache, declaration, auth, "g-1")
//	now, err := g.Holds(ctx, "u-1", true) // {Held: true, Known: true}
package lookup
