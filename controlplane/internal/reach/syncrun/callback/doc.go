// Package callback reports the progress of sync runs to the address given when they were started.
//
// While a run is active it sends at most one message a second, each tried once; when the run ends, or is held, it
// sends one that is tried again until it arrives, five times within six hours. The states of the last one are in
// sync_run.callback_state: pending, delivered, failed. Messages are signed like webhooks (Standard Webhooks 1.0.0)
// with a secret of the connector, and reach public addresses only.
//
//	POST https://receiver.example/progress
//	{"event": "sync.completed", "run_id": "…", "status": "succeeded", …}
//
// Package worker calls Follow for each run that it reads, and DeliverDue every second.
package callback
