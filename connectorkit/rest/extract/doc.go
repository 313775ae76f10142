// Package extract turns records of a stream into identities, accounts, entitlements and grants.
//
// # Purpose
//
// Rows applies the fields of a stream to each record. Members that no field names become attributes with dotted names.
// Arrays in a record become grants and entitlements of their own where the stream has explode. Without fields, the
// usual member names fill an account: userName, mail, active and the like.
//
// # States
//
// Rows remembers which entitlements it made already, so that each is emitted once in a sync run.
//
// # Callers
//
// connectorkit/rest/read for lists, connectorkit/rest/write for the accounts that it compares.
//
// # Example
//
// With "explode": {"path": "roles"} the record {"id": 7, "roles": ["admin"]} becomes the account 7, the entitlement
// admin, and the grant of admin to 7.
package extract
