// Package native asks what becomes of access that was given in the target system itself: grants that were revoked here
// and came back, one task each, and unmanaged grants, one task for each connector. It owns no table.
//
// The native_grant_policy of the connector decides: tolerate creates no task, revoke revokes up to 25 grants at once
// without a person, and otherwise people are asked.
//
// Package decisionkind adds its kind, native_grant.
//
// Example: an administrator adds Ben to a group in the directory. After the next sync, the connector's task lists the
// grant; accept keeps it as found, revoke removes it in the directory.
package native
