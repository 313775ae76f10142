// Package passkey registers the passkeys of users (WebAuthn) and verifies them.
//
// It owns the tables passkey and passkey_challenge. A passkey is a discoverable credential that verifies its user, by a
// fingerprint or PIN for example, so that it counts as two factors. It belongs to a domain: the host of the public
// URL. Each challenge is valid for five minutes and works once; only its hash is stored.
//
// A sign-in takes two calls: Start returns the options for the browser, and the response of the authenticator goes to
// Open, which uses up the challenge, and then to Use, which verifies the signature in the transaction of the user.
// Packages signin and factor call Open and Use.
package passkey
