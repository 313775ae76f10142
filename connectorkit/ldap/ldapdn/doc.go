// Package ldapdn compares and takes apart distinguished names (RFC 4514).
//
// The control plane and the connector refer to entries by normalized DN. Two spellings of one name have the same
// normal form, and the form is stable: it is stored in native_ref and hashed in cursors. go-ldap parses and escapes
// single names; it has no normal form, and parsing each member of a large group with it takes several times as long.
//
//	ldapdn.Normalize("CN=Doe\\2C Jane, OU=People,DC=x") // cn=doe\, jane,ou=people,dc=x
//	ldapdn.IsWithin("cn=a,ou=b,dc=x", "DC=X")           // true
package ldapdn
