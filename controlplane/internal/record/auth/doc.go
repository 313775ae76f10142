// Package auth composes the services for signing in and for authentication. Service creates the parts and connects
// them:
//
// signin (passwords, passkeys and one-time links), sso (identity providers), factor (second factor), passkey (passkeys)
// and throttle (limits of failures) authenticate a user; session opens and refreshes sessions; signing signs and
// verifies tokens; bearer turns the token of each request into a viewer; idp stores the identity providers of tenants,
// and lastadmin keeps at least one administrator in each tenant.
//
// A token identifies its user and carries no permissions. Permissions are read from the database, so that a withdrawn
// permission is gone in all processes within five seconds: changes.go listens for changes that other processes made.
//
// Package app creates the Service; record/user and reach/agents call it.
package auth
