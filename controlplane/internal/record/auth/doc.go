// Package auth knows who signs in and who is asking: passwords, sessions, refresh, one-time links, and the tokens of
// users and agents. A token says whose it is and nothing about rights; those are read from the database, so that a
// right that is taken away is gone within five seconds everywhere.
//
// There are four forms of token, told apart four times over: by the typ of the header, the audience, the claim kind,
// and a signing key for each audience.
package auth
