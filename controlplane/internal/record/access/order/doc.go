// Package order enters orders of administrators as reasons: to assign an entitlement, to revoke or extend a grant, and
// to accept unmanaged grants as they were found.
//
// It owns the table grant_review, and writes reasons into the ledger and nothing else: provisioning makes them true in
// the target system. A revocation ends all reasons of a grant or one of them; if a policy would grant the access
// again, it needs an exclusion. Dry runs say what would happen.
//
// Package access adds its routes; govern/decisionkind revokes and accepts grants that its decision tasks are about.
package order
