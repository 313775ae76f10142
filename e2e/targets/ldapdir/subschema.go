package ldapdir

import (
	"github.com/jimlambrt/gldap"

	"github.com/grantwright/grantwright/e2e/targets/ldapdir/schema"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// rootDSE tells clients what the server offers (RFC 4512 section 5.1).
func (s *Server) rootDSE() *entry {
	return &entry{user: []attribute{
		{"objectClass", []string{"top"}}, one("namingContexts", s.cfg.BaseDN), one("subschemaSubentry", schema.DN),
		one("supportedControl", gldap.ControlTypePaging), one("supportedLDAPVersion", "3"),
		one("vendorName", "Grantwright bundled directory"), one("vendorVersion", "1"),
	}}
}

// subschema is the entry with the schema. Its definitions are operational (RFC 4512 section 4.2):
// clients get them by name or with "+".
func subschema() *entry {
	at := people.Reference.AddDate(-8, 0, 0)
	e := newEntry(schema.DN, "", people.UUID(schema.DN), at, at, []attribute{
		{"objectClass", []string{"top", "subschema"}}, one("cn", "subschema"),
	})
	e.operational = append(
		e.operational,
		attribute{"attributeTypes", schema.Types()},
		attribute{"objectClasses", schema.Classes()},
	)
	return e
}
