// Package delegate answers who decides for whom at an instant. It reads the table decision_delegation, which package
// delegation owns, and writes nothing.
//
// A delegation can be limited to kinds of tasks, systems, risk levels and people who meet a condition (Scope). A task
// that it does not cover stays with the delegator. Tasks reads what tasks concern.
//
// Delegations follow one another, MaxChain at most. A chain ends before a person who is gone or may not decide, so that
// the person before them decides.
//
// Package decision adds delegates to tasks by it, and the approval rules find approvers by it.
//
// Example: Ada delegates to Ben and Ben to Cleo, both for all kinds of task. Known.End gives Cleo for Ada. When Cleo
// has left, it gives Ben.
package delegate
