// Package rolemodel is what people do with roles beyond writing them down: propose, publish with the impact on
// everybody who has them, deprecate and retire; who has them, by rule or by hand; versions and their differences;
// files. It owns the table role_draft and the paths under /entitlements/roles/{id}, and GET /identities/{id}/roles.
//
// A role in use is changed by its draft: a working copy that nobody feels until it is published. A small change may be
// made at once; one that gives or takes much has to be published by somebody who has seen the impact, and one of high
// risk by the agreement of somebody else, who is asked in the inbox.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package rolemodel
