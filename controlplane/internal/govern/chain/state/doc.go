// Package state has approval chains in memory: a chain, its stages and their slots, and the rules of what an answer
// does to them. It knows no database; instants are parameters.
//
// A slot is one person or role that is asked: open, approved, rejected or superseded. A group of slots agrees as its
// mode says (any, all, quorum), and a stage when all of its groups do. A stage is waiting, open, approved, rejected,
// skipped, expired or cancelled.
//
// Package chain changes chains by it; packages store, question, batch and progress read them.
//
// Example: a group with the mode quorum needs two of three. One has approved and one rejected: the tally is pending,
// since the third can still make it two. A second rejection refuses it.
package state
