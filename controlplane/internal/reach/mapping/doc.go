// Package mapping has the fields of identities, accounts, entitlements and grants that a source's fields can be mapped
// to, the heuristics that recognize them by their names, and the rules that people write. It is pure, as its packages
// are: no database, no clock.
//
// Every field of the source is looked at by the same heuristics: its name equals one of ours or a case variant of it
// (exact), it is an attribute of the SCIM enterprise user extension (scim_extension, RFC 7643 section 4.3), a common
// synonym (synonym), the first date of the record (type_shape) or a vendor's word (vendor_template). The rule named
// first wins if two source fields claim one of ours.
//
//	Match("identity", "employeeID") // EmployeeNumber, synonym
//
// Records of people are mapped by the heuristics until a person has decided; the other kinds keep what the connector
// names, and the heuristics only make proposals. If a person has decided, their rules (Mapping) take the heuristics'
// place.
//
// Package mapper applies rules to records, package proposal suggests them, package transform has the expressions in
// them. Package fieldmap keeps rules; packs bring them along.
package mapping
