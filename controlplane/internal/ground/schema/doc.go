// Package schema migrates a database to the current schema and checks, at every start, that tenants are isolated in
// it.
package schema
