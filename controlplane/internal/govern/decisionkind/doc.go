// Package decisionkind makes the decision tasks of the inbox that other packages need: accounts with several owners or
// none, schema changes of a source, manual and failed provisioning tasks, and conflicts of packs. Packages held,
// native, separationtask and policytask do so for held syncs, native grants, separation of duties and access policies.
// It owns the table decision_kept.
//
// It converges. Whatever may begin or cease to need a decision enqueues work, by a trigger on the table that it stands
// in; one transaction at a time takes the items of a tenant, asks, brings up to date, or takes back. A crash leaves the
// items where they were, and an item too many finds everything as it should be. What comes with time alone is found by
// a sweep, which compares all conditions with the inbox once an hour.
//
// An answer calls the same function as the endpoint of its subject, with the same checks and the same audit. A decision
// by that endpoint changes the table, and the trigger of the table withdraws the task.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package decisionkind
