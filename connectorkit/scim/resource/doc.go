// Package resource reads and writes SCIM resources that are already decoded: users, groups and their parts.
//
// # Purpose
//
// A Record gives attributes by name, whatever its case. A Path names one attribute and sets it. Flatten turns a record
// into attributes with dotted names, without secrets. Users become identities and accounts, their roles and
// entitlements become entitlements, and members become grants.
//
// # States
//
// None, except for a memory of names that are secret. Nothing here sends a request.
//
// # Callers
//
// All packages of the SCIM connector.
//
// # Example
//
//	{"id": "2819", "userName": "ada", "emails": [{"value": "ada@example.com", "primary": true}]}
//
// ToAccount returns the account 2819 with the user name ada and the e-mail address ada@example.com; Flatten adds the
// attribute emails.value.
package resource
