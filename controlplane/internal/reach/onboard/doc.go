// Package onboard leads a connector from its type to its first sync, and later keeps up with a target whose fields
// change. How far a connector has come is read from what is there (settings, test, snapshot, mappings, runs), so that
// every step can be left and taken up again; there is no state of its own but the differences that wait for a decision.
//
// It owns no tables: package schemadiff keeps the differences. The five steps of the wizard are completed, open or
// blocked. The HTTP API and the decision tasks of govern/decisionkind are its callers:
//
//	GET  /connectors/{id}/wizard                          step 4 is open: the fields have no mappings
//	POST /connectors/{id}/wizard/accept-mappings          step 5 is open
//	POST /connectors/{id}/wizard/first-sync               the run that makes the connector connected
//	POST /connectors/{id}/rediscover                      later: a diff, because the target lacks a field
//	POST /connectors/{id}/schema-diffs/{diff_id}/decide   the mappings follow it
package onboard
