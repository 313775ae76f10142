// Package matter brings what other rooms leave for people to decide into the inbox: syncs that are held, accounts with
// several owners or none, changed fields of a source, changes that somebody has to make by hand or that failed,
// conflicts of packs, and access that came back by itself. It owns the table matter_kept.
//
// It converges. Whatever may begin or cease to need a decision enqueues work, by a trigger on the table that it stands
// in; one transaction at a time takes the items of a tenant, asks, brings up to date, or takes back. A crash leaves the
// items where they were, and an item too many finds everything as it should be. What comes with time alone is found by
// a sweep, which compares all conditions with the inbox once an hour.
//
// An answer does what the room's own path does, by the same function and with the same checks and audit. Whoever
// decides by that path has changed the table, so that its trigger has the task taken back.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package matter
