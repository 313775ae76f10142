// Package drift compares accounts that we manage with what their template makes of their owner. What a change of the
// person makes necessary is written; what the target has otherwise is drift, which people, or the connector's rule,
// decide about.
//
// Nothing is compared that has not changed: triggers enqueue the accounts whose owner or record has. It converges: an
// account whose comparison is lost is still in the queue, and one that is compared twice is as it was.
package drift
