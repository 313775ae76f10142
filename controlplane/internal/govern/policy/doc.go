// Package policy gives people access by rule. A policy says whom it is about, in the language of package condition, and
// what they are given or may not hold; one with birthright fires by itself when somebody is made or changes. What it
// gives are reasons of the ledger: provisioning makes them true. It owns the tables access_policy,
// access_policy_version, access_policy_change and policy_walk, and the paths under /policies.
//
// The evaluation converges. Whatever may change what rules say enqueues work: of the kind policy for a person, of the
// kind policy_sweep for everybody. One evaluator at a time takes the items of a tenant, compares what the policies say
// with the reasons that live, and adds and ends the difference, all in one transaction. A crash leaves the items where
// they were, and an item too many finds nothing to do.
//
// Whoever is deactivated or archived loses every reason of any kind.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package policy
