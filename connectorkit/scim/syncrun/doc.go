// Package syncrun has the state of one sync of the SCIM connector, its pages, and lists that are read page by page.
//
// # Purpose
//
// A Run collects records, warnings and scopes and emits them with checkpoints. A Listing reads one list by index or by
// cursor, reads again where it shrinks meanwhile, and reports whether it is complete.
//
// # States
//
//	reading a leg -> checkpoint after each page -> end of the leg
//	              -> RestartLeg: the same leg in another way
//
// # Callers
//
// Package read for users, package group for groups.
//
// # Example
//
//	l := run.NewListing(run.UsersPath, resource.PhaseUsers, "")
//	l.ReadPage = readUsers
//	err := l.ReadAll(ctx)
//	if why := l.Incomplete(); why != "" {
//		run.MarkIncomplete(v1.Accounts)
//	}
package syncrun
