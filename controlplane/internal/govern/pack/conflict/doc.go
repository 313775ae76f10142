// Package conflict lists and resolves conflicts: fields of an object that both a sector pack and the tenant have
// changed. It owns no table: conflicts are rows of sector_pack_conflict, which package install writes.
//
//	open ── resolve ──▶ resolved    mine, theirs or merged
//	     ── a later version, or the end of the installation ──▶ superseded
//
// The routes of package pack and the decision tasks of govern/decisionkind resolve conflicts.
//
// Example: the pack wants the name Nurse II, and the tenant has RN. Resolving with theirs writes Nurse II; with mine,
// the object stays as it is.
package conflict
