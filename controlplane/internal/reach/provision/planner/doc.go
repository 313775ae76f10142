// Package planner plans for people whose access has changed, and writes the plans.
//
// Plan reads people, has the package plan decide, and writes what comes of it in the same transaction: accounts and
// grants that are on their way, tasks, and cancellations of tasks that are not wanted any more. One plan of a tenant is
// made at a time; planning twice gives the same tasks once. RetryTasks sends failed tasks anew and computes their
// accounts again.
//
//	plan.go (Plan), read.go (people from the database), write.go (plans to the database), render.go (accounts from
//	their templates), retry.go, refresh.go (what connectors can change), planner.go (the work on the queue)
//
// The package reads identity, account, access_grant, entitlement, access_reason and provisioning_task. It writes
// accounts and grants through the packages of record, tasks through the package taskstore, and what connectors can
// change into provisioning_lane.
//
// It is called by the work queue (Kinds), by the package order for a new account, and by the package upkeep.
//
//	sum, err := planner.Plan(ctx, tx, []string{personID}, false)
//	// sum.Tasks is the number of tasks that are new
package planner
