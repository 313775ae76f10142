// Package status has the states of a message, and what events make of them. It knows no database and no clock.
//
//	queued ──▶ sending ──▶ sent
//	              │  ├───▶ deferred ──▶ sending   the server is away, or asks to try later
//	              │  ├───▶ bounced                the server rejects the address for good
//	              │  └───▶ failed                 the server rejects the message, or its time is over
//	suppressed: not sent, because there is no address to send to. An administrator can send it again later.
//
// A process that is killed while it sends leaves the message in the state sending. When its lease has run out, another
// process sends the message again, with the same Message-ID.
package status
