// Package webhook tells addresses of events. It keeps the settings of webhooks (/settings/webhooks), makes a delivery
// for each webhook that wants an event, and posts deliveries: signed as Standard Webhooks, at most five times within
// six hours.
//
// The ways of a delivery: pending → succeeded, or exhausted when its attempts or its time are used up; skipped when the
// webhook is disabled. Several processes deliver at once; a delivery is leased by the one that posts it, and one whose
// process died is posted again, by the same id and attempt number. Nothing here knows what a request or a person is.
package webhook
