// Package scan evaluates the people of a tenant for violations of separation-of-duties policies. It owns the table
// separation_scan, the progress of the last or current scan of everybody.
//
// Kinds of work. separation has a person as its subject: triggers enqueue people whose grants, reasons, requests or
// accounts have changed, a sync run for instance those that it touched. separation_scan is a scan of all people: an
// administrator requests it, a change of policies, duties or their entitlements enqueues it, and it runs every night.
// Both are one group, so that no two evaluations of a tenant write at once.
//
// A scan goes through all identities in the order of their IDs, a piece in each transaction. In a piece, the first pass
// reads only entitlements that policies name, and finds the people who may be in violation; those, and the people with
// violations that are not settled, are evaluated exactly. A crash repeats one piece.
//
//	waiting -> running -> completed
//	                   -> cancelled
//
// Example: POST /policies/separation-of-duties/scan answers 202. The next pass of the queue begins, and GET returns
// running with done and total until the scan is completed.
package scan
