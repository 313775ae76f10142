// Package plan makes messages of notifications.
//
// Purpose. A trigger writes notifications in the transaction of their cause, and queues the people that they are for.
// This package takes the people from the work queue. For each notification it decides by the package notice whether the
// person receives it at once, in their digest, or not at all. Notifications of one group that are planned together
// become one message, so that a manager with thirty new tasks receives one mail and not thirty.
//
// Tables. notification, which it empties; notification_digest, when the digest of each person is due; and
// notification_told, the dates of which people were notified. It adds to mail_message through the package message.
//
// Truth. What a notification says is read when it is planned. A task that was decided meanwhile is left out.
//
// Limits. Within quiet hours, a person's notifications wait, unless they are urgent. A person receives at most 12
// messages an hour; further notifications wait, and are sent together.
//
// Digest. It is due once a day at the person's hour, and lists the tasks that are open then, and what was held back. If
// nothing is open and nothing was held back, none is sent.
package plan
