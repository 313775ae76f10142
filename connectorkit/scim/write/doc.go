// Package write makes one change in a SCIM service provider.
//
// # Purpose
//
// Each change reads the record first, sends one request in the form that the profile of the vendor allows, and reads
// the record again. A change is never sent a second time unless the target refused it because of a concurrent change.
// A whole list of members is sent only if the target accepts no single one.
//
// # States
//
//	read -> as requested: already
//	     -> sent -> refused: error
//	             -> answered: applied, verified by a read
//	             -> no answer: unknown
//
// # Callers
//
// connectorkit/scim for Provision.
//
// # Example
//
// account.disable of user 2819: GET /Users/2819 shows active true; PATCH replaces active by false; GET shows active
// false; the outcome is applied and verified.
package write
