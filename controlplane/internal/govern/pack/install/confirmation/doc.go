// Package confirmation decides whether a change of a pack may be made: its impact is within the tenant's limits, or
// a user has confirmed exactly this impact by its plan_hash.
package confirmation
