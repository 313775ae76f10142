// Package duty keeps duties, each with all of its versions. A duty is a function of the business, such as paying
// invoices, with the access that lets a person perform it. Separation-of-duties policies name duties, never
// entitlements, so that one change of a duty reaches all of them. It owns the tables duty, duty_member and
// duty_version.
//
// Members. all_of has one group or more. A person performs the duty with at least one member of each group. What a
// member names may be missing, as it is for an entitlement that no sync run has read yet: the member takes effect when
// the entitlement is there. A duty is blind while a group has no entitlement in a connected system.
//
// Callers: package separation serves it, package rulebook resolves the members.
//
// Example: the duty "Pay" has two groups, one with the entitlement PAY-RUN and one with the duty tag company-1000.
// No one performs it with PAY-RUN alone.
//
// A function that takes a transaction joins it.
package duty
