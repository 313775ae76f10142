// Package plan decides what has to change in target systems for a person.
//
// A Person is a person with everything that the decision depends on: what reasons ask for, their accounts and grants,
// and the tasks that have not ended. Decide compares the two and enters the differences into a Plan: accounts and
// grants to make, tasks to write, tasks to cancel, statuses to set. The package decides for whom and where; what
// follows from the state of one account or grant is the table of the package task.
//
// The package knows no database and no clock, and owns no table: the same person gives the same plan. The package
// planner reads people, and writes plans.
//
// A person who has joined, and has one reason for one entitlement of a connector through which they have no account:
//
//	p.Decide(out)
//	// out.Accounts: one, "provisioning"
//	// out.Grants:   one, for that account
//	// out.Tasks:    create_account; grant, which comes after it
package plan
