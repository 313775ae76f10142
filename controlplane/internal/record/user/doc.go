// Package user administers the people who sign in: whom an administrator invites, what roles they have, which identity
// of the directory they are, and how they lose it all again. How somebody signs in is the business of package auth.
package user
