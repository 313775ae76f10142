package change

import ()

// Causes of work: what has changed.
const (
	causePerson = "person" // a manager, sponsor, status or delegation of the subject
	causeThing  = "thing"  // the owners of the subject, a role or entitlement
	causeMember = "member" // who has the role that is the subject
	causeUser   = "user"   // the roles of a user in the tenant
)
