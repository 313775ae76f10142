// Package decisiontable checks the decision tables of access policies against the people of a tenant, and reads and
// writes them as CSV. It owns no table: a decision table is part of its access policy, and packages accesspolicy,
// evaluation and simulation store, apply and simulate it.
//
// A check goes through everyone once. It counts to whom each row applies, and distinguishes rows that can never apply,
// rows that earlier ones leave no one to, and rows that no one matches. It finds people who match no row, or rows that
// differ, and values that no person has.
//
// An import plans first. The plan has everything that is wrong, by line, the rows that change, the check of the new
// table and, for an enforced policy, its impact. Applying needs the hash of the plan, so that only what was reviewed
// is applied, all or nothing.
//
// Example: the file
//
//	department,location,roles,comment
//	Nursing|Surgery,Be*,ward-staff,Wards in Bern
//	*,*,staff,
//
// has two rows that assign the roles ward-staff and staff. Package policy serves its routes.
package decisiontable
