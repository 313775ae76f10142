// Package grantstatus writes the status of grants for provisioning: a grant is pending until its target system has it,
// active, ending before its end, revoking until the target has taken it away, and failed or revoked.
//
// It owns the columns status, wanted_at and ends_at of access_grant; syncs write the rows themselves. After each
// change it lets the inherited grants follow (package nesting). reach/provision is the caller, and package order marks
// what is wanted.
package grantstatus
