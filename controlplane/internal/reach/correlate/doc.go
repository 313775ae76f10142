// Package correlate finds the owners of accounts: it holds each account's keys against those of people, by rules that
// every connector may have of its own, weighs what agrees, and says why. It owns the paths under /accounts that decide
// by rules or about many accounts, /connectors/{id}/correlation and /settings/orphans.
//
// How an account stands to an owner:
//
//	uncorrelated -> linked | disputed | ignored
//	disputed     -> manual | ignored
//	linked       -> manual
//	linked, manual -> uncorrelated (taken from its owner, or the owner is archived)
//
// What a person decided (manual, ignored) is never changed by rules; only the archiving of the owner frees an account.
// From whom a person took an account, rules do not give it back to.
//
// Accounts to look at are read in batches and put into an index for each rule, and the tenant's people stream past it;
// what is decided is written by one statement a batch. Values are brought into their normal form in this package alone,
// so that a preview, a run and an explanation cannot differ, and no extension of PostgreSQL is needed. Accounts that
// rules have linked are looked at again when a digest of their keys, or of the rules, has changed; a run that finds all
// as it was writes nothing.
package correlate
