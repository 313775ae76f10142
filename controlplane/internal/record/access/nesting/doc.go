// Package nesting derives inherited grants from the nesting of entitlements.
//
// It owns the table entitlement_edge, and the inherited rows of access_grant. A grant is inherited if the account
// holds another entitlement from which this one follows. Expand compares all inherited grants of a connector with its
// nesting; FollowAccounts, FollowHolders and FollowRun bring up to date what one change concerns. limit.go bounds how
// many grants may follow, so that a cycle of large groups cannot fill the database.
//
// Sync runs call FollowRun or Expand, reconciliation Expand, and package grantstatus the functions for single grants.
package nesting
