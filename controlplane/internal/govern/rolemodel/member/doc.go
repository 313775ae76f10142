// Package member lists who has a role and by which way, assigns roles to people, limits and ends assignments, and lists
// the roles of a person. It owns no table: assignments are those of record/role, reasons those of the ledger.
//
// The ways are the role's rule, a policy that names it, an assignment by hand, and a request. Administrators and the
// owners of a role assign it; owners not to themselves. Package rolemodel serves its routes.
//
// Example: a person has the role by its rule and by hand. Unassigning ends the assignment and answers 409
// member_by_rule, because the rule still gives it.
package member
