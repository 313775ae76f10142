// Package draft has the drafts of roles in use, and reads the versions of roles and their differences. It owns the
// table role_draft, and reads role_version of record/role.
//
// A draft is based on one version of its role. If the role changes meanwhile, Merge applies the changes of the draft to
// the current role. A draft can be proposed; a change of it withdraws the proposal. Package rolemodel publishes drafts,
// and rolefile writes them for roles of high risk.
//
// Example: the draft of version 3 adds an entitlement, and version 4 renames the role. Publishing the draft keeps the
// new name and adds the entitlement.
package draft
