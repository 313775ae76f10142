// Package store reads and writes approval chains: the tables chain, chain_stage, chain_slot and chain_log, which
// package chain owns.
//
// Lock takes the row locks of chains in the order of their items. Write compares each stage and slot with what was read
// and writes only what is different, by one statement for each table.
//
// Packages chain, batch and progress call it.
//
// Example: 200 decisions in bulk lock 200 chains by one statement, and write their slots by one.
package store
