// Package correlate answers for the rules that find the owners of accounts: it reads, sets, previews and runs them,
// and resets what was decided about an account.
//
// It owns the paths /connectors/{id}/correlation, /accounts/correlation, /accounts/bulk-link,
// /accounts/{id}/reset-correlation and /settings/orphans. Package matching applies the rules, package bulk assigns the
// owners of many accounts at once.
//
// How an account stands to an owner (account.correlation_state):
//
//	uncorrelated -> linked | disputed | ignored
//	disputed     -> manual | ignored
//	linked       -> manual
//	linked, manual -> uncorrelated (taken from its owner, or the owner is archived)
//
// What a person decided (manual, ignored) is never changed by rules; only the archiving of the owner frees an account.
// From whom a person took an account, rules do not give it back to.
//
// An administrator writes a rule that compares the account's employee number with the identity's, previews it ("412
// accounts gain an owner, 3 are disputed"), sets it, and runs it for one connector.
package correlate
