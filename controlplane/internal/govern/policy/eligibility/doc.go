// Package eligibility says who can request what: the policies with the effect eligible, compared with people.
//
// A resource that no such policy in force names is not limited here. One that a policy names can be requested by the
// people who meet one of its policies, and by no one else. A policy that names a system limits all entitlements of
// it. The constraints and the schedule of a policy do not hide a resource; they say why it cannot be requested now. Of
// several policies that let a person request something, the first by priority sets the terms.
//
// It owns no tables. Packages catalog and request/draft ask it, for all people of a call at once:
//
//	book, err := eligibility.Load(ctx, tx, now)
//	standings, err := book.Of(ctx, tx, ids)
//	ruling := standings[id].Of(entitlementID, connectorID)
package eligibility
