// Package rolemodel publishes, proposes, deprecates and retires roles, with the impact on everybody who has them. It
// owns no table; it serves paths under /entitlements/roles/{id}, also those of its parts, and GET
// /identities/{id}/roles.
//
// The parts, which this package composes: draft (drafts and versions), member (who has a role, and assigning it) and
// rolefile (export and import as YAML). rolefile imports draft; no other part imports another.
//
// A role in use is changed by its draft, which has no effect until it is published. Guard lets a small change be made
// at once. A change that gives or takes much has to be published by an administrator who has seen the impact, and one
// of high risk needs the approval of another person, who is asked in the inbox.
//
// Example: publishing the draft of a role adds an entitlement for 300 of 1,000 people. The response is 409
// confirmation_required with the impact; sent again with its plan_hash, the role changes and the draft is gone.
//
// A function that takes a transaction joins it; a method of a Service opens its own.
package rolemodel
