// Package outbox sends the messages that are due.
//
// Purpose. It is a kind of work of the work queue. A pass leases some messages of a tenant, connects to the tenant's
// mail server once, and sends one message after the other. What became of each is written down before the next one.
//
// Tables. It changes mail_message and mail_bounce through the package message, and the state of the server in
// notification_settings.
//
// Failures. A process that is killed leaves its messages leased. Another process sends them again after the lease, with
// the same Message-ID. Trouble of the server pauses the tenant: for 30 seconds after the first failure, twice as long
// after each further one, at most 15 minutes. It uses up no attempts. A message that is older than three days fails.
package outbox
