// Package field names the fields of accounts and identities that correlation rules compare, and reads their values from
// the database.
package field
