// Package fields holds the fields of an entitlement that are governed here rather than read from its system, such as
// owners, risk and tags: their limits, who may write which, and what they may refer to.
package fields
