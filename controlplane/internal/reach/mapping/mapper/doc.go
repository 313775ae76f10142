// Package mapper turns the records of a source into identities, accounts, entitlements and grants, by rules or by the
// heuristics of package mapping, and previews what becomes of samples.
//
// A value that cannot be used is a Problem: of the one field, or of the whole record. It names the field, never the
// value.
//
//	mail := mapping.Mapping{Object: "identity", Source: "mail", Target: "email", Action: mapping.ActionMap}
//	m, _ := With([]mapping.Mapping{mail}, nil)
//	r := &v1.RemoteIdentity{ExternalID: "7", Attributes: map[string]any{"mail": "ann@x.test"}}
//	p, problems := m.Person(r, today)
//	// p.Text["email"] is ann@x.test
//
// Package staging of syncrun maps every record by a Mapper; package fieldmap, and the trials of packs, show Previews
// and their Findings.
package mapper
