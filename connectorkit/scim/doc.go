// Package scim is the connector of the type scim2: it reads and changes target systems that speak SCIM 2.0 (RFC 7643,
// RFC 7644), with index paging and cursor paging (RFC 9865).
//
// # Purpose
//
// Users become accounts and identities, their roles and entitlements become entitlements with grants, groups become
// entitlements of kind group, and members become grants. Answers are read value by value, so that a group of 200,000
// members needs little more memory than one with ten, and one bad record does not spoil its page.
//
// This package composes the connector from the packages below it, the lowest first:
//
//	resource    decoded users, groups and their parts
//	response    answers, read value by value within bounds
//	quirks      what is known of particular vendors
//	settings    connection settings
//	provider    one service provider: requests, declaration, single records
//	checkpoint  checkpoints and cursors
//	syncrun     one sync: state, pages, lists
//	group       groups with their members
//	read        what a sync reads; users
//	discovery   fields
//	desired     an account as a change requests it
//	lookup      single users and memberships
//	write       one change
//
// # States
//
// Between calls a connector keeps tokens, rate budgets, and for ten minutes what targets declare.
//
// # Callers
//
// connectorkit/connectors opens it for the agent and the control plane.
//
// # Example
//
// The settings {"base_url": "https://example.com/scim/v2", "auth_method": "bearer", "token": "…"} are enough for a
// target that keeps to the standard. Known peculiarities of vendors are data in package quirks; each can be overridden
// by a setting.
package scim
