// Package provider is the access to one SCIM service provider: its requests, what it declares, and single users and
// groups.
//
// # Purpose
//
// A Session holds the settings and the client of one call. It reads ServiceProviderConfig, ResourceTypes and Schemas,
// and finds users by id or name. A Cache keeps what a target declares between calls.
//
// # States
//
// A session is open until Close. An entry of the cache expires after ten minutes.
//
// # Callers
//
// The packages discovery, syncrun, read, group, lookup and write, and connectorkit/scim.
//
// # Example
//
//	s, err := provider.Open(ctx, env, auth, target.Options{})
//	user, err := s.FindByName(ctx, "ada")
package provider
