// Package scim reads target systems that speak SCIM 2.0 (RFC 7643, RFC 7644), with index paging by what was received
// and cursor paging (RFC 9865).
//
// Users become accounts and identities, their roles and entitlements become entitlements with grants, groups become
// entitlements of kind group, and members become grants. Answers are read value by value, so that a group of 200,000
// members needs little more memory than one with ten, and one bad record does not spoil its page.
//
// # Changes
//
// Users that changed are asked for by meta.lastModified, after two questions have shown that the target really filters
// by it. What is gone is found by the ids of all users and groups; groups that changed are read again with their
// members. The position is by the target's own clock and dates, never ours, and five minutes before it are read again.
// Where a target does not tell when memberships change, which a look at two unchanged groups in every such read brings
// to light, all groups are read.
//
// # Breaks
//
// Every page is a checkpoint (see place). Lists that shrink while they are read are read again from a little before, so
// that nobody is passed over; what cannot be proven complete is not called so.
//
// # Vendors
//
// What is known of particular services is data, in package quirks. Every statement of it can be overridden by a
// setting.
//
// It changes users and memberships, too: every change looks first, sends one request in the words that the vendor's
// profile knows, and looks again. It never sends a change twice by itself, and never a whole list of members where one
// can be changed alone.
package scim
