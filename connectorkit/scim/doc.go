// Package scim reads target systems that speak SCIM 2.0 (RFC 7643, RFC 7644), with index paging by what was received and
// cursor paging (RFC 9865).
//
// Users become accounts and identities, their roles and entitlements become entitlements with grants, groups become
// entitlements of kind group, and members become grants. Groups are read token by token, so that one with 200,000 members
// needs no more memory than one with ten.
package scim
