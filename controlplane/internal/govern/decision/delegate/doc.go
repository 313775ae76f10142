// Package delegate answers who decides for whom at an instant. It reads the table decision_delegation, which package
// delegation owns, and writes nothing.
//
// Delegations follow one another, MaxChain at most. A chain ends before a person who is gone or may not decide, so that
// the person before them decides.
//
// Package decision adds delegates to tasks by it, and the approval rules find approvers by it.
//
// Example: Ada delegates to Ben and Ben to Cleo, both for all kinds of task. Of gives Cleo for Ada. When Cleo has
// left, it gives Ben.
package delegate
