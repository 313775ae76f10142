// Package merge merges the fields of an object three ways: what a pack wanted before, what the tenant has made of it,
// and what the pack wants now. It knows no database and no clock, and owns no table.
//
// Packages desired and object produce Fields; install, binding and conflict merge and compare them.
//
// Example: base {name: Nurse}, mine {name: RN}, theirs {name: Nurse II} keeps RN and reports a conflict in name. If
// mine were Nurse, the result would be Nurse II without a conflict.
package merge
