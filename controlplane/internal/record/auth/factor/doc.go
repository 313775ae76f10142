// Package factor has the second factor of users: codes of an authenticator app (TOTP), and recovery codes. It also asks
// for passkeys, which package passkey verifies, and confirms who a user is before a change of their own sign-in.
//
// It owns the tables second_factor and recovery_code. A factor is begun, with a secret that is shown once, and counts
// from its confirmation with a first code. Each code and each recovery code works once; after five wrong ones nobody
// tries again for 15 minutes. Package signin asks for the factor at each sign-in with a password or link, and
// record/user resets it.
package factor
