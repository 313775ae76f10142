// Package transport sends messages to a mail server by SMTP, and says of each what became of it.
//
// A failure is one of three things. Trouble of the server, such as a refused connection, a broken certificate or a
// wrong password, concerns all messages: they wait. Trouble of an address, such as an unknown mailbox, concerns one
// address. Trouble of a message, such as content that a filter rejects, concerns one message.
//
// STARTTLS is mandatory where it is chosen: a server that does not offer it is not spoken to without it. Certificates
// are checked, against the system's authorities or the given ones.
//
// Tables. None.
package transport
