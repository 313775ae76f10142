// Package matter brings what other rooms leave for people to decide into the inbox: syncs that are held, accounts with several
// owners or none, changed fields of a source, changes that somebody has to make by hand or that failed, conflicts of packs. Rows of
// matter_turn, which triggers add, say what has to be looked at; looking asks, brings up to date, or takes back.
package matter
