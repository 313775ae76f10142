// Package lifecycle decides the state of identities from their dates. It owns the table lifecycle_policy, the settings
// of a tenant: its time zone, lead and grace times, retention.
//
// The states:
//
//	pre_hire -> active -> on_leave -> active
//	active, on_leave -> notice -> active
//	pre_hire, active, on_leave, notice -> deactivated -> active
//	deactivated -> archived
//
// Archiving is the deletion of the API and possible from every state. A state follows from the standing of an
// identity, which a source or an administrator sets, and from its dates; package rules computes it.
// Packages identity and action use it for one identity, package authority for those of a sync run, and ApplyDue for
// all whose dates have come.
//
// Example: E-4711 has the termination date 2026-05-31 and the tenant a notice lead of P14D. From 2026-05-17 the state
// is notice; on 2026-06-01, in the time zone of the tenant, it is deactivated.
package lifecycle
