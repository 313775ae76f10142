// Package sso signs users in with the OpenID Connect providers of their tenant.
//
// It owns the tables oidc_flow (a sign-in on its way, or a code that a console fetches its tokens with) and
// federated_login (which user somebody of a provider is). flow.go has the way from the start to the callback, code.go
// the exchange of a code for tokens, recognize.go the link to a user and the roles of groups, admit.go the
// users that a first sign-in makes, end_provider.go what
// ends with a provider, options.go what a sign-in page offers. Package oidc speaks the protocol and package idp has
// the providers.
package sso
