// Package manager links identities to their managers. It writes identity.manager_id, manager_external_id and
// manager_from_source.
//
// A source names a manager by external id, native id, e-mail address, username or employee number, often before the
// manager is known. Sync runs call Resolve or ResolveChanged after their writes; the API and imports call
// ResolveAround and ResolveQuery.
//
// Example: the record of E-4711 names jane@example.com as manager. If exactly one identity has this address, it is the
// manager; until then manager_unresolved is true.
package manager
