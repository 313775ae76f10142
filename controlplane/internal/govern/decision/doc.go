// Package decision is the inbox: every decision that the product needs from a person is a task here, in one shape,
// whoever asks. It owns the tables decision_*, and the path /decision-tasks.
//
// A room asks with Ask, in its own transaction, and is told what was decided by the Answer that app has registered for
// the kind. What need not be decided any more is taken back with Close. The room that asks rules what may be answered;
// the inbox rules who may answer, and when: assignment, claims, delegation, reassignment, deferral with undo, and bulk.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package decision
