// Package user manages the users of the console and the API: invitations, roles, the link to an identity, and
// deactivation. Package auth signs users in.
package user
