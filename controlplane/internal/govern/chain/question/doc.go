// Package question words the tasks that chains ask: approvals, the search for an approver where there is none, and
// waits that a person or another system ends. It owns no table and writes nothing.
//
// A task has everything that an approver needs to decide in its context: requester, beneficiary, item, rule, stage, and
// what was decided before.
//
// Package batch asks what it words.
//
// Example: "Ada asks for Payments admin for Ben", with the actions Approve and Reject, of which Reject requires a
// comment.
package question
