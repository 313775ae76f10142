// Package mail holds notifications against mail servers of others: Postfix, a server that misbehaves, and parsers of
// messages. The programs are the built ones, and each tenant sends by a server of its own.
package mail
