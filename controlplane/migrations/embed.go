// Package migrations holds the ordered story of the schema: forward only, each file in its own transaction.
package migrations

import "embed"

// Files are the migrations in the order of their names.
//
//go:embed *.sql
var Files embed.FS
