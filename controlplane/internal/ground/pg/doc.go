// Package pg is how the product speaks to PostgreSQL: every transaction is opened on somebody's behalf, and row-level
// security does the rest. As acts within one tenant; Across finds, over all tenants, whose turn it is, and only reads.
//
// A function that takes a *Tx joins its caller's transaction. Nothing outside this package touches the pool.
package pg
