// Package digest hashes secrets and keys of limits, so that the database has none of them in plain text: refresh
// tokens, one-time links, codes, e-mail addresses of failed sign-ins.
package digest
