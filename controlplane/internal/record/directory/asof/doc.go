// Package asof answers questions about the past: the query parameter as_of, the response headers As-Of and
// History-Since, and the SQL of identities and grants at an instant. It owns no table; the history tables are kept by
// triggers, see docs/schema.md.
//
// Packages directory, access and history use it for their historical lists. A viewer sees the past of exactly those
// identities that they see today.
//
// Example: GET /identities?as_of=2026-05-31 embeds Parameter; Moment turns the day into its last instant in the time
// zone of the tenant.
package asof
