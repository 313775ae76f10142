// Package event stores events for webhooks and other subscribers. An event is written in the transaction of the change
// that it reports, and only if a subscriber of the tenant wants events of its kind. A subscriber receives each event
// exactly once per transaction that commits its handling, in the order in which the events of a resource were written.
//
// Packages that change resources call Publish, or PublishEach for a statement that changes many rows. Subscribers
// declare the kinds that they want with Want, and fetch events with Take.
//
// Example: a tenant has a webhook for identity.created. An import of 2,000 people calls PublishEach in the transaction
// of each batch; the worker of webhooks takes the events after the commit. Without the webhook, no row is written.
package event
