// Package webhook posts events to the addresses of customers. It serves /settings/webhooks, makes a delivery for each
// webhook that wants an event, and posts deliveries: signed as Standard Webhooks, at most five times within six hours.
//
//	pending ──▶ succeeded
//	        ──▶ exhausted   its attempts or its time are used up
//	        ──▶ skipped     the webhook is disabled
//
// The parts, from the lowest: filter, retry and health (pure rules); subscription (webhooks and their secrets) and
// delivery (the delivery log). This package has the use cases, and the worker: fan.go makes deliveries of events,
// claim.go leases those that are due, lane.go posts one after the other, sweep.go ends what is over.
//
// Several processes deliver at once. A delivery is leased by the process that posts it; if that process dies, another
// posts it again, with the same id and attempt number. This package imports none of the packages whose events it sends.
//
// Example: identity.created is published, and two webhooks want it. Two deliveries are made; one is answered 200 and
// has succeeded, the other 500 and is tried again after 80 seconds.
package webhook
