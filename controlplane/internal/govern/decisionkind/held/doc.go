// Package held asks what becomes of sync runs that are held because they change too much at once. It owns no table.
//
// The task shows what is held by kind and group, with the digest of the difference. A decision releases all of it, a
// part that inputs.subset describes, or discards it. If the run changed since the task showed it, the release is
// refused.
//
// Package decisionkind adds its kind, sync_hold.
//
// Example: a sync would deactivate 900 of 1,000 identities. The task says "identity deactivation: 900 of 1000, which is
// most of them"; discard leaves everybody as they are.
package held
