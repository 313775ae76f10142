// Package staging checks, maps and stores the records that a connector emits, before they are merged.
//
// It owns the tables stage_identity, stage_account, stage_entitlement, stage_grant (records), stage_present (records
// that were only named as still there) and stage_scope (what was read to its end), and writes sync_error (what was
// rejected). A row is keyed by run, chunk (seq) and place in the chunk (ord); the merge takes the last row of a
// record.
//
// A page with a person whose hire date cannot be read becomes one row of stage_identity without the date, and one row
// of sync_error that names the field; a record without an external_id becomes a row of sync_error alone.
//
// Package worker calls Build and Write for each chunk, proof and merge read the tables, and Clear empties them once a
// run has ended.
package staging
