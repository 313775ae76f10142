// Package organization reads what resolving approvers needs to know of people: managers, members of roles, users with a
// role of the tenant, who is on call, delegates, and why a person cannot decide. It owns no table and writes nothing.
//
// Everything is read in sets, once for all subjects of a call, so that 200 requests cost as many statements as one.
//
// Package resolution names approvers by it.
//
// Example: Load with the resolver manager reads up to five managers above each beneficiary. After Meet, WhyAbsent says
// of one of them "is on leave".
package organization
