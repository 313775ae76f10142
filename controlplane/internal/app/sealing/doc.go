// Package sealing exchanges the keys under which secrets are sealed, for an operator's commands: a new master key, new
// data keys of tenants, and the removal of keys that nothing uses any more. Each exchange is in the audit log of its
// tenant. Servers go on working meanwhile.
package sealing
