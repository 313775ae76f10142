// Package onboard leads a connector from its type to its first sync, and later keeps up with a target whose fields
// change. How far a connector has come is read from what is there (settings, test, snapshot, mappings, runs), so that
// every step can be left and taken up again; there is no state of its own but the differences that wait for a decision.
package onboard
