// Package metrics counts the requests of a period: by status, by rule and by resource, with the time to approve. It
// owns no table.
//
// Package request serves it as GET /access-requests/metrics.
//
// Example: 40 items under the rule Standard were decided by people, 4 of them rejected; the rejection rate is 0.1.
package metrics
