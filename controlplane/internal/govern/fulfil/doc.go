// Package fulfil makes approved access true and sees it to its end: it gives reasons or assigns roles, waits until the
// target is seen to have the access, starts the clock of what is for a time, and ends what is returned or over. It owns
// the table fulfilment.
//
// What becomes of an item is told to the room that gave the order by Moved, in the same transaction.
package fulfil
