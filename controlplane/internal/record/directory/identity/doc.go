// Package identity reads, checks and writes identities: the people and non-human actors of a tenant. It owns the table
// identity.
//
// Its parts: identity.go the record; store.go reading and writing; validate.go and formats.go the checks; patch.go
// merge patches; filter.go lists; record.go audit entries and events; facts.go the attributes that conditions and
// templates use. The states are those of package lifecycle.
//
// All functions join the transaction of their caller. visible_identity() in the database decides who is visible; users
// can always read their own identity. Packages directory, action and bulk write identities; most others find one by
// Find or CheckExist.
//
// Example: Find(ctx, tx, id) returns a fault of kind NotFound for an identity that does not exist and for one that the
// viewer may not see.
package identity
