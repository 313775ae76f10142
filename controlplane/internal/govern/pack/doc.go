// Package pack installs sector packs: the field mappings, roles, birthrights, policies and lifecycle that suit a
// sector. It owns the tables sector_pack_* and the paths under /sector-packs. How a pack is written is the subject of
// package format; the packs that come with the service are those of package builtin.
//
// What a pack brings are ordinary objects of the tenant, which may change them: each names its pack as its origin, and
// this package keeps, field by field, what the pack wanted of it. An upgrade merges three ways: what the pack wanted,
// what the tenant has made of it, what the new version wants. Where both have changed the same field the tenant's
// stays, and a conflict is open until somebody decides. A plan is an installation that is carried out and taken back.
//
// Packs name systems and entitlements by selectors. What a selector does not find yet is bound when a run has brought
// it.
//
// A function that takes a transaction joins it; a method of Service opens its own. What changes a tenant's packs takes
// turns.
package pack
