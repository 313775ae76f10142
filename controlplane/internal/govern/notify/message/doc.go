// Package message stores the messages that are sent by mail, and shows them in the delivery log.
//
// Tables. mail_message, one row for each message, and mail_bounce, one row for each address that a mail server rejected
// for good.
//
// States. Those of the package status. A message that cannot be sent from the start, because there is no address or the
// address bounced before, is stored as suppressed, so that the delivery log shows it.
//
// A message with a one-time link has the link sealed until it is sent, and nowhere else.
package message
