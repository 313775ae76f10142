// Package trail lists, verifies, signs, exports and shortens the audit log, which package audit writes. It owns the
// tables audit_checkpoint and audit_retention, and the paths /audit-events and /settings/audit/retention.
//
// Every event carries the hash of the one before. The work queue signs a checkpoint over the log of each tenant
// (Kinds), and drops what is older than the retention, up to a checkpoint (Jobs); Verify follows the hashes and
// compares them with the checkpoints. Reading, verifying and exporting the log are events of it themselves.
//
// The parts: search (filters, and the SQL that finds events) and signingkey (the keys that sign checkpoints).
// Package app composes Service; the commands "grantwright audit" verify exports without it.
//
// Example: a row is changed in the database. Verify reports the first number whose hash does not fit, and no
// checkpoint is signed from there on.
package trail
