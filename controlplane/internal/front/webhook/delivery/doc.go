// Package delivery has the delivery log: it makes deliveries, lists them, sends events again, and writes what is
// posted. It owns the table webhook_delivery.
//
// Plan makes a delivery of an event for one webhook, with the times of its attempts; Insert writes many and wakes the
// workers of package webhook. Body gives the same bytes for the same event and format at every attempt.
//
// Example: a replay of the last day with undelivered_only finds 30 events that have not arrived, and makes 30
// deliveries with their original event ids.
package delivery
