// Package checkpoint holds what the SCIM connector keeps outside the process: the checkpoint of a sync and the cursor
// of the next.
//
// # Purpose
//
// State is the checkpoint: the plan, the leg, the position in its list, and the counts. Watermark is the cursor: the
// time since which changes are read, by the clock of the target. Both are JSON of at most 64 KiB and belong to one set
// of settings.
//
// # States
//
// A checkpoint or cursor of another version or of other settings is not used; the reason is a warning or the fallback
// reason of the sync.
//
// # Callers
//
// Packages syncrun, read and group.
//
// # Example
//
// A sync that read 300 of 500 users has the checkpoint {"v": 1, "leg": 0, "list": {"mode": "index", "start": 301, …},
// …}.
package checkpoint
