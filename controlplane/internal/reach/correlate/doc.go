// Package correlate finds the owners of accounts: it holds each account's keys against those of people, by rules that every
// connector may have of its own, weighs what agrees, and says why.
//
// How an account stands to an owner:
//
//	uncorrelated -> linked | disputed | ignored
//	disputed     -> manual | ignored
//	linked       -> manual
//	linked, manual -> uncorrelated (taken from its owner, or the owner is archived)
//
// What a person decided (manual, ignored) is never changed by rules.
package correlate
