// Package signin signs users in with a password or with a one-time link, and changes passwords.
//
// It owns the table signin_link, and writes the password of app_user. Every refusal before the password was right
// costs the same and says the same, so that nobody learns which addresses are known. Failures are counted by package
// throttle; the second factor is asked for by package factor; the session is opened by package session. An address may
// have users in several tenants: candidates.go says who of them signs in.
package signin
