// Package records turns the entries of a read into identities, accounts, entitlements and grants.
//
// A connection serves one search at a time. What an entry needs from other searches is therefore collected while its
// page is read, and fetched in FinishPage: further ranges of members (MS-ADTS section 3.1.1.3.1.3.3), members by user
// name, and primary groups of Active Directory.
//
// Full and incremental reads call User and Group for each entry, and FinishPage between two pages:
//
//	_, err := r.SearchAll(r.Ctx, "groups", req, r.Group, r.FinishPage)
package records
