// Package signing signs tokens and verifies them, and has the deployment's signing keys.
//
// It owns the tables signing_key and deployment. There are five forms of token: access tokens of users and of
// integrations, refresh tokens, tokens of agents and their invitations. They are told apart by the typ of the header,
// the audience, the claim kind, and a signing key for each audience. A key is next, active, verify_only and retired,
// in this order (see State). The epoch of the deployment, which each restore raises, refuses every token from before.
//
// Packages session and bearer sign and verify; the command grantwright keys rotates keys with a Rotator.
package signing
