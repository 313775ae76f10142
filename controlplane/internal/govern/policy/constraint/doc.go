// Package constraint holds the constraints of access policies: what a person must be in addition to the condition of a
// policy, and the terms of a request that a policy allows.
//
// It owns no tables. Package accesspolicy stores the constraints of each policy, package evaluation compares people
// with them, and package eligibility applies the terms to requests.
//
//	c.Unmet(fields) // ["the training GDPR 2026 is required"]
package constraint
