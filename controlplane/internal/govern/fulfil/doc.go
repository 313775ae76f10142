// Package fulfil grants approved access and ends it: it adds reasons or assigns roles, waits until a sync shows the
// access in the target system, starts the period of time-limited access then, and ends access that is returned or
// expired. It owns the table fulfilment.
//
// Moved reports the state of an item to the package that ordered it, in the same transaction.
package fulfil
