// Package matter brings what other rooms leave for people to decide into the inbox: syncs that are held, accounts with several
// owners or none, changed fields of a source, changes that somebody has to make by hand or that failed, conflicts of packs, and access
// that came back by itself. It owns the tables matter_turn, matter_sweep and matter_kept.
//
// It converges. Whatever may begin or cease to need a decision adds a row to matter_turn, by a trigger on the table that it stands in;
// one process at a time takes the rows of a tenant, asks, brings up to date, or takes back, all in one transaction. A crash leaves the
// rows where they were, and a row too many finds everything as it should be. What comes with time alone is found by looking everything
// over now and then.
//
// An answer does what the room's own path does, by the same function and with the same checks and audit. Whoever decides by that path
// has changed the table, so that its trigger has the task taken back.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package matter
