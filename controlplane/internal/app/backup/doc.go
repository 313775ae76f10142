// Package backup writes the whole database into a folder and restores it from there.
//
// A backup is taken in one snapshot while servers work: pg_dump's custom format and a manifest with the number of rows
// of each table, the schema's version, the fingerprints of the master keys and the digest of the dump. The keys are not
// in it. Restore takes an empty database only. A table marks the database while the restore is in progress, so that a
// half restored one never serves; at the end rows, references, secrets and the chain of the audit log are verified.
//
// Example: Backup(ctx, config, "/backup/today", version, log) writes /backup/today/manifest.json and database.dump;
// Restore(ctx, config, "/backup/today", log) reads both and returns what it verified.
package backup
