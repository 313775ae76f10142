// Package auth joins what signs users in and what tells who is asking. Service makes the parts and gives them to each
// other:
//
// signin (passwords and one-time links), sso (identity providers), factor (second factor) and throttle (limits of
// failures) prove who somebody is; session opens and refreshes their session; signing signs and verifies tokens;
// bearer turns the token of each request into a viewer; idp has the identity providers of tenants, and lastadmin keeps
// an administrator in each.
//
// A token says whose it is and nothing about rights; those are read from the database, so that a right that is taken
// away is gone within five seconds everywhere: changes.go listens for what other processes have changed.
//
// Package app makes the Service; record/user and reach/agents call it.
package auth
