// Package drift compares accounts that we manage with what their template makes of their owner. What a change of the person makes
// necessary is written; what the target has otherwise is drift, which people, or the connector's rule, decide about.
//
// Nothing is compared that has not changed: triggers note the accounts whose owner or record has, and a worker takes the notes. It
// converges: an account whose look is lost is noted still, and one that is looked at twice is as it was.
package drift
