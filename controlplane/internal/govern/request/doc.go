// Package request takes requests for access from submission to their end, under /access-requests (without its
// catalog). It owns no table; its parts do.
//
// The parts, from the lowest: accessrequest (the resource), lookup and draft (examination before submission), change
// (every change of a stored request), task, emergency, timeline, replay and metrics. A part does not import this
// package.
//
//	submitted -> pending_approval -> approved -> (scheduled) -> provisioning
//	             -> fulfilled | partially_fulfilled | failed -> closed
//	             blocked, rejected, cancelled, expired
//
// Package approval decides who must agree, package chain asks them, and package fulfil grants the access. chain calls
// Service.Decided and fulfil calls Service.Moved. A method of Service opens a transaction; a function that takes a
// transaction joins it.
//
// Example: POST /access-requests for two entitlements creates REQ-000123. One is approved by its rule at once and
// provisioned; for the other the manager gets a decision task.
package request
