// Package pack serves sector packs under /sector-packs: the field mappings, roles, birthrights, policies, mitigating
// controls, approval rules and lifecycle that suit a sector. It composes the services of its parts, offers the packs'
// field mappings to connectors, and installs the packs that a new tenant begins with.
//
// The parts, from the lowest: merge (three-way merge of fields), installation (rows), desired (what a pack wants here,
// with its selectors resolved), object (reads and writes the tenant's objects) and accessdiff (whose access changes);
// then install, binding, conflict and catalog, which do not import each other. Package format is the file format;
// package builtin has the packs that come with the service.
//
// What a pack installs are ordinary objects of the tenant, which may change them: each names its pack as its origin. An
// upgrade merges three ways. If both sides have changed the same field, the tenant's value stays, and a conflict is
// open until a decision. Selectors without a match are bound when a sync run has read a matching entitlement.
//
// Example: installing healthcare-provider adds the role "nurse" and the birthright that assigns it. The tenant renames
// the role, and the upgrade renames it too: the tenant's name stays, and a conflict asks which one to keep.
//
// A function that takes a transaction joins it; a method of a Service opens its own.
package pack
