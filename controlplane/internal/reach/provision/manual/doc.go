// Package manual puts tasks that a person has to do into words: Instructions says what to do in the target system,
// with the names of people, accounts and entitlements, and why the connector does not do it.
//
// It owns no table. Package provision writes the instructions to the task as its advice.
package manual
