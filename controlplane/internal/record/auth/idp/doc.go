// Package idp keeps the OpenID Connect providers by which a tenant's people sign in: who they are, what of their word
// is believed, and which of their groups give which roles here.
package idp
