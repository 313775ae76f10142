// Package directory keeps who there is: identities, the people and non-human actors whom a tenant governs, and accounts, their
// login records in target systems. It owns the tables identity, identity_source and account, and the paths /identities and
// /accounts.
//
// The states of an identity:
//
//	pre_hire -> active -> on_leave -> active
//	active, on_leave -> notice -> active
//	pre_hire, active, on_leave, notice -> deactivated -> active
//	deactivated -> archived
//
// Archiving is the API's deletion and possible from every state. Who is seen is decided by visible_identity() and
// visible_account() in the database alone; a user's own record is theirs to read whatever their roles.
//
// A function that takes a transaction joins it; a method of Service opens its own.
package directory
