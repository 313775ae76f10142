// Package telemetry tells operators how the service does: metrics, logs that say whose they are, and traces. It says
// nothing about people: no metric has a tenant, an id or an address among its labels, and no log line a query string or
// a body.
package telemetry
