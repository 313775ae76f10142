// Package write makes one change of the REST connector, or reads single accounts.
//
// # Purpose
//
// An Operation fills the template of the requested change. It reads the account before and after where the settings
// declare reads. A change is sent once: if the answer does not arrive, the outcome is unknown and the caller reads the
// target before anything is tried again.
//
// # States
//
//	located -> already as requested: outcome already
//	        -> sent -> refused: error, or already where the template says so and a read confirms it
//	                -> answered: applied, verified by a read where there is one
//	                -> no answer: unknown
//
// # Callers
//
// connectorkit/rest for Provision and Read.
//
// # Example
//
// account.disable of account 7 with a read account: GET users/7 shows active true; PATCH users/7 with the template's
// body; GET users/7 shows active false; the outcome is applied and verified.
package write
