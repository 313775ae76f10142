// Package pg opens transactions on PostgreSQL. Every transaction has a viewer, and row-level security limits what it
// reads and writes. As opens a transaction within one tenant. Across opens a read-only transaction over all tenants,
// which workers use to find due work.
//
// A function that takes a *Tx joins its caller's transaction. Only this package uses the connection pool.
package pg
