// Package signingkey has the keys of the deployment that sign the checkpoints of audit logs. It owns the rows of the
// table signing_key with the audience audit; private keys are sealed with the operator's key.
//
//	next ──▶ active ──▶ verify_only
//
// The first process makes the first key. Prepare makes the next key, which package trail announces in every log under
// the old key, and Promote lets it sign. Keys are never deleted, because what they have signed is still to be verified.
//
// Example: a rotation is interrupted after Prepare. The next one finds the key in the state next, and continues with
// it.
package signingkey
