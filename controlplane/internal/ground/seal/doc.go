// Package seal keeps secrets at rest. A deployment has one master key, in a file outside the database; each tenant has
// a data key of its own, wrapped by it. Every sealed value is bound to its tenant, table, column and row, so that one
// that was moved does not open, and deleting a tenant's data key makes all of its secrets unreadable.
package seal
