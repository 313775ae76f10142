// Package answer evaluates the stored queries of mitigating controls, and serves their preview under
// /policies/mitigation/preview. It owns no table and only reads.
//
// Evaluate answers one query for many violations at once, with one statement for each kind of data. A query that cannot
// be answered never passes. Its problems say why:
//
//   - nothing is in its scope, such as a person without an account in the named system
//   - a source was never synced, is disconnected, or its last full sync is older than the interval of the evidence
//   - a field that the condition names is not known, because the source does not report it
//   - the condition names a role, an entitlement or a manager that does not exist
//   - the policy is not evaluated or is blind, or its last complete scan is older than the interval
//
// Callers: package evidence asks when evidence is due, and the console asks for previews.
//
// Example: a query expects no account of Ann in Payments that signed in during the last 30 days. Ann has one account
// there, which signed in last week, so the query has failed, with that account as an example. If Payments reports no
// sign-ins of any account, the query is unanswered.
//
// A function that takes a transaction joins it.
package answer
