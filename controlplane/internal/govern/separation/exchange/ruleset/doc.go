// Package ruleset is the content of a file of duties and separation-of-duties policies, whatever its format: duties,
// policies, and what is wrong with them, each with its file and line. It names people, connectors and roles as files
// do, and knows no database.
//
// Callers: the packages of the formats read and write rule sets, package exchange plans and applies them.
//
// Example: a policy of the line 7 of policies.csv that names the duty "Pay", which line 2 of duties.csv defines.
package ruleset
