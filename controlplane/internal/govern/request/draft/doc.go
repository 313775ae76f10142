// Package draft examines requests before they are submitted. It owns no table and writes nothing.
//
// Examine checks a draft in this order: shape and times, recipient, resources and accounts, existing access, targets
// of extensions and returns, approval rule, and the terms of that rule. It collects every fault, so that a preview
// shows all of them and a submission is refused for the gravest (refusal.go).
//
// Package request calls it for previews, submissions and extensions.
//
// Example: a draft that requests 90 days of an entitlement with max_duration P30D has the fault duration_exceeds_limit
// at #/requested_resources/0/duration.
package draft
