// Package desired says what a pack wants of a tenant's objects, with its selectors resolved against the connectors and
// entitlements that the tenant has. It reads the tables connector and entitlement, and owns none.
//
// NewResolver looks up all selectors of a pack in one query. Role, Policy, SodPolicy, Control, ApprovalRule and
// Lifecycle then give the fields of one object each, and the selectors that have found nothing. Packages install and
// binding call it.
//
// Example: the selector {connector: {tag: ehr}, nameLike: "Nurse*"} becomes the ids of all entitlements whose names
// begin with Nurse, in the connectors with the label tag=ehr. Before the first sync run of such a connector it is
// pending with the reason connector_not_read.
package desired
