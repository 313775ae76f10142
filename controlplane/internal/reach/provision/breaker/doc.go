// Package breaker stops writing to target systems, and resumes it.
//
// A Guard is the circuit breaker of one connector. It opens when too many changes were made within its window, or when
// too many have failed one after the other; nothing is sent through the connector until a person resumes writes. The
// tenant's switch (provisioning_switch) stops all writing of a tenant. Both are columns and rows that the package
// ability reads as the reason why tasks wait.
//
//	closed ── too many changes, or failures ──> open ── ResumeWrites ──> closed
//
// The package owns provisioning_switch, and the columns breaker_open_since and breaker_reason of
// connector_provisioning. The lane of a connector asks its Guard before it takes tasks; people use the routes of
// Service, or decision tasks.
//
//	q, err := guard.Quota(ctx, tx, 8, nil)
//	// q.Room tasks may be taken, none of the operations in q.Full; q.Open: nothing at all
package breaker
