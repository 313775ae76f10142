// Package bulk assigns the owners of many accounts at once, by pairs or by a filter and a field of the identity.
//
// It updates account.identity_id and account.correlation: such a link counts as decided by a person. Each item has a
// result of its own: what can be done is done, and what cannot says why. At most 10,000 accounts are assigned at once,
// by one statement, with one entry of the audit log.
//
//	POST /accounts/bulk-link
//	{"pairs": [{"account_id": "…", "identity_external_id": "E-4711"}], "dry_run": true}
//
// Package correlate adds its path to its own.
package bulk
