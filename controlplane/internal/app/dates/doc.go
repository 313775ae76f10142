// Package dates is the periodic work that moves identities whose day has come, and deletes what has been kept long
// enough, tenant by tenant.
package dates
