// Package account keeps accounts: the login records of identities in target systems. It owns the table account and the
// paths under /accounts.
//
// Sync runs write accounts, package correlate finds their owners, and package provision creates and changes them
// (provisioning.go). Administrators decide here who owns an account (owner.go). The correlation of an account:
//
//	uncorrelated, disputed -> linked (by rules), manual, ignored
//	linked, manual, ignored -> manual, uncorrelated
//
// An account is an orphan account if it works although its owner has left, or has had no owner for too long.
//
// Example: POST /accounts/{id}/link names an owner; the state becomes manual, and correlation rules no longer change
// it.
package account
