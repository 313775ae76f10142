// Package database opens the database of the control plane: a private PostgreSQL server in the data directory, or the
// one that the operator names. It makes the roles, applies migrations, and refuses a database that would not keep
// tenants apart, or one whose restore has not ended.
//
// Commands that work beside a server use OpenToWork, the server itself OpenToServe. Backup and restore need more than
// the application may do: OpenBeyondRows gives a login that sees the rows of all tenants, OpenEmpty a new database.
package database
