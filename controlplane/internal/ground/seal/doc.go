// Package seal encrypts secrets at rest. A deployment has one master key, in a file outside the database; each tenant
// has a data key of its own, encrypted with it. Every sealed value is bound to its tenant, table, column and row: a
// value that was moved cannot be decrypted, and deleting a tenant's data key makes all of its secrets unreadable.
package seal
