// Package read runs one sync of the SCIM connector: it chooses what to read, reads users, and has groups read by
// package group.
//
// # Purpose
//
// A full sync reads all users and then all groups. An incremental sync reads users by meta.lastModified, the ids of
// all users, and the groups that changed. Two requests prove beforehand that the target filters by time; otherwise the
// sync is full and states the reason.
//
// # States
//
//	plan -> users -> groups -> finished
//	     -> changed users -> ids of users -> changed groups -> finished
//
// Each leg can be followed by another that it adds, and can be read again in another way.
//
// # Callers
//
// connectorkit/scim.
//
// # Example
//
// A sync since 10:00 requests users with meta.lastModified gt "09:55", all ids, and the groups without members; a
// group that changed at 10:30 is read again with its members.
package read
