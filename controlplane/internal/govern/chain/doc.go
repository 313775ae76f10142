// Package chain carries out approval plans: it opens stage after stage, asks through the inbox, counts who agreed,
// reminds, escalates, waits, and rings when an item is decided. A plan is frozen when it starts; who stands in a slot
// is resolved anew when the organisation changes, and decisions that were made stay.
//
// It owns the tables chain and chain_*, and no path: its stages are shown at the request, its tasks in the inbox.
package chain
