// Package hold stores the changes of sync runs above a safety limit until a person releases or discards them, for at
// most hold_ttl.
//
// It owns sync_hold, and moves held runs and their changes on:
//
//	open -> partly_released -> released
//	open, partly_released -> discarded | expired | superseded
//
// A release names a part of what is held, how many changes it expects, and the digest of what was seen; if any of it
// differs, nothing happens. Released changes are pending again, the run is applying, and the worker takes it up.
// Discarding, the end of the time, and the next run of the connector drop the rest.
//
//	d := Decision{ExpectedCount: 40, Digest: seen, Comment: "branch closed"}
//	d.Subset = &Subset{Kinds: []string{"account_missing"}}
//	Release(ctx, tx, connector, run, d, now)
//
// Callers: the API, package decisionkind, and the worker of syncrun (Supersede, Expire).
package hold
