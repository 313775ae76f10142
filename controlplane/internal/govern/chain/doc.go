// Package chain carries out approval plans: it opens stage after stage, asks through the inbox, counts who agreed,
// reminds, escalates, waits, and calls its caller back when an item is decided. A plan is frozen when it starts; who is
// asked is resolved anew when the organization changes, and decisions that were made stay.
//
// It owns the tables chain, chain_stage, chain_slot and chain_log, and no path: its stages are shown at the request,
// its tasks in the inbox.
//
//	running ⇄ blocked → approved, rejected, expired, cancelled
//	approved → running (an approval is withdrawn within half an hour)
//
// A transaction locks chains, changes them in memory and commits the changes at once. Packages beside it: state (a
// chain and the rules of its stages), store (SQL), question (the tasks), batch (what a transaction changes), people
// (who can be asked), change (what follows from changes of the organization) and progress (stages as the API shows
// them).
//
// Package request starts chains and receives outcomes by Decided; the inbox calls the Answers; the work queue runs
// Kinds.
//
// Example: a plan has two stages, the manager and an owner. Start asks the manager. She approves, so Answer opens the
// second stage. The owner does not answer in three working days, so the worker adds her manager. He approves, and
// Decided is called with the outcome approved, by both.
package chain
