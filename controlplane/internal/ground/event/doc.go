// Package event keeps what happened. An event is written in the transaction that made it true, and only when a listener
// of the tenant wants its kind; a listener hears of each exactly once per transaction that commits its handling, in the
// order in which the events of a resource were written.
//
// Rooms that change something call Publish, or PublishEach where a statement changes many rows. Rooms that want to know
// register their wish with Want and fetch with Take.
package event
