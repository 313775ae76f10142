// Package telemetry provides metrics, logs with the request and tenant, and traces for operators. It contains no
// personal data: no metric has a tenant, an id or an address among its labels, and no log line a query string or a
// body.
package telemetry
