// Package schema is the schema of the bundled directory: the attribute types and object classes of inetOrgPerson and
// groupOfNames (RFC 4512, RFC 4519, RFC 2798), as clients read them and as filters compare by them.
//
// The directory (package ldapdir) calls it:
//
//	schema.Canonical("surname") // "sn"
//	schema.Types()              // the definitions that the subschema entry publishes
package schema

import (
	"fmt"
	"slices"
	"strings"
)

// DN is where the schema is read (RFC 4512 section 4.2).
const DN = "cn=subschema"

// Syntaxes of RFC 4517, and of RFC 4530 for UUIDs.
const (
	directoryString = "1.3.6.1.4.1.1466.115.121.1.15"
	ia5String       = "1.3.6.1.4.1.1466.115.121.1.26"
	oidSyntax       = "1.3.6.1.4.1.1466.115.121.1.38"
	dnSyntax        = "1.3.6.1.4.1.1466.115.121.1.12"
	generalizedTime = "1.3.6.1.4.1.1466.115.121.1.24"
	telephone       = "1.3.6.1.4.1.1466.115.121.1.50"
	integerSyntax   = "1.3.6.1.4.1.1466.115.121.1.27"
	uuidSyntax      = "1.3.6.1.1.16.1"
)

// attributeType is one attribute of the schema.
type attributeType struct {
	oid, names string // names: the first is the one that entries use
	syntax     string
	equality   string
	flags      string // what follows the syntax
}

const (
	single      = " SINGLE-VALUE"
	operational = " NO-USER-MODIFICATION USAGE directoryOperation"
)

// attributeTypes are those of RFC 4512, 4519, 4524, 2798, 4530 and the password policy draft that occur here.
var attributeTypes = []attributeType{
	{"2.5.4.0", "objectClass", oidSyntax, "objectIdentifierMatch", ""},
	{"2.5.4.3", "cn commonName", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.4", "sn surname", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.42", "givenName gn", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.12", "title", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.13", "description", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.7", "l localityName", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.10", "o organizationName", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.11", "ou organizationalUnitName", directoryString, "caseIgnoreMatch", ""},
	{"2.5.4.20", "telephoneNumber", telephone, "telephoneNumberMatch", ""},
	{"2.5.4.31", "member", dnSyntax, "distinguishedNameMatch", ""},
	{"0.9.2342.19200300.100.1.1", "uid userid", directoryString, "caseIgnoreMatch", ""},
	{"0.9.2342.19200300.100.1.3", "mail rfc822Mailbox", ia5String, "caseIgnoreIA5Match", ""},
	{"0.9.2342.19200300.100.1.10", "manager", dnSyntax, "distinguishedNameMatch", ""},
	{"0.9.2342.19200300.100.1.25", "dc domainComponent", ia5String, "caseIgnoreIA5Match", single},
	{"2.16.840.1.113730.3.1.2", "departmentNumber", directoryString, "caseIgnoreMatch", ""},
	{"2.16.840.1.113730.3.1.3", "employeeNumber", directoryString, "caseIgnoreMatch", single},
	{"2.16.840.1.113730.3.1.4", "employeeType", directoryString, "caseIgnoreMatch", ""},
	{"2.16.840.1.113730.3.1.241", "displayName", directoryString, "caseIgnoreMatch", single},
	{"1.3.6.1.1.16.4", "entryUUID", uuidSyntax, "UUIDMatch", single + operational},
	{"1.3.6.1.1.20", "entryDN", dnSyntax, "distinguishedNameMatch", single + operational},
	{"2.5.18.1", "createTimestamp", generalizedTime, "generalizedTimeMatch", single + operational},
	{"2.5.18.2", "modifyTimestamp", generalizedTime, "generalizedTimeMatch", single + operational},
	{"2.5.18.10", "subschemaSubentry", dnSyntax, "distinguishedNameMatch", single + operational},
	{"2.5.21.9", "structuralObjectClass", oidSyntax, "objectIdentifierMatch", single + operational},
	{"1.2.840.113556.1.2.102", "memberOf", dnSyntax, "distinguishedNameMatch", operational},
	{
		"1.3.6.1.4.1.42.2.27.8.1.17",
		"pwdAccountLockedTime",
		generalizedTime,
		"generalizedTimeMatch",
		single + " USAGE directoryOperation",
	},
	{
		"2.5.21.5",
		"attributeTypes",
		"1.3.6.1.4.1.1466.115.121.1.3",
		"objectIdentifierFirstComponentMatch",
		" USAGE directoryOperation",
	},
	{
		"2.5.21.6",
		"objectClasses",
		"1.3.6.1.4.1.1466.115.121.1.37",
		"objectIdentifierFirstComponentMatch",
		" USAGE directoryOperation",
	},
	{"1.3.6.1.4.1.1466.101.120.5", "namingContexts", dnSyntax, "distinguishedNameMatch", " USAGE dSAOperation"},
	{"1.3.6.1.4.1.1466.101.120.13", "supportedControl", oidSyntax, "objectIdentifierMatch", " USAGE dSAOperation"},
	{"1.3.6.1.4.1.1466.101.120.15", "supportedLDAPVersion", integerSyntax, "integerMatch", " USAGE dSAOperation"},
	{
		"1.3.6.1.1.4",
		"vendorName",
		directoryString,
		"caseExactMatch",
		single + " NO-USER-MODIFICATION USAGE dSAOperation",
	},
	{
		"1.3.6.1.1.5",
		"vendorVersion",
		directoryString,
		"caseExactMatch",
		single + " NO-USER-MODIFICATION USAGE dSAOperation",
	},
}

// objectClasses are written out, as RFC 4519 and RFC 2798 have them, less what does not occur here.
var objectClasses = []string{
	"( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )",
	"( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) MAY ( telephoneNumber $ description ) )",
	"( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL MAY ( title $ ou $ l ) )",
	"( 2.16.840.1.113730.3.2.2 NAME 'inetOrgPerson' SUP organizationalPerson STRUCTURAL MAY ( departmentNumber $ " +
		"displayName $ employeeNumber $ employeeType $ givenName $ mail $ manager $ o $ uid ) )",
	"( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL MUST ( member $ cn ) MAY ( description $ o $ ou ) )",
	"( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou MAY ( description $ l $ telephoneNumber ) )",
	"( 2.5.6.4 NAME 'organization' SUP top STRUCTURAL MUST o MAY ( description $ l $ telephoneNumber ) )",
	"( 2.5.6.8 NAME 'organizationalRole' SUP top STRUCTURAL MUST cn MAY ( description $ l $ ou $ telephoneNumber ) )",
	"( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY MUST dc )",
	"( 2.5.20.1 NAME 'subschema' AUXILIARY MAY ( attributeTypes $ objectClasses ) )",
}

// String writes the type as the schema shows it (RFC 4512 section 4.1.2).
func (t attributeType) String() string {
	names := strings.Fields(t.names)
	name := "'" + names[0] + "'"
	if len(names) > 1 {
		name = "( '" + strings.Join(names, "' '") + "' )"
	}
	extra := ""
	switch t.syntax {
	case directoryString, ia5String:
		if strings.HasPrefix(t.equality, "caseIgnore") {
			extra = " SUBSTR " + strings.TrimSuffix(t.equality, "Match") + "SubstringsMatch"
		}
	case generalizedTime:
		extra = " ORDERING generalizedTimeOrderingMatch"
	}
	return fmt.Sprintf("( %s NAME %s EQUALITY %s%s SYNTAX %s%s )", t.oid, name, t.equality, extra, t.syntax, t.flags)
}

// syntaxes gives the syntax of each attribute, and firstNames its first name, by every name of it;
// all in lower case.
var syntaxes, firstNames = func() (syntax, first map[string]string) {
	syntax, first = map[string]string{}, map[string]string{}
	for _, t := range attributeTypes {
		names := strings.Fields(strings.ToLower(t.names))
		for _, n := range names {
			syntax[n], first[n] = t.syntax, names[0]
		}
	}
	return syntax, first
}()

// Canonical gives the name that entries use for an attribute, in lower case: sn for surname.
func Canonical(name string) string {
	name = strings.ToLower(name)
	if first, ok := firstNames[name]; ok {
		return first
	}
	return name
}

// Known says whether the schema has an attribute, by any name of it in lower case.
func Known(lower string) bool { return syntaxes[lower] != "" }

// NamesEntries says whether the values of an attribute are distinguished names.
func NamesEntries(lower string) bool { return syntaxes[lower] == dnSyntax }

// Types are the definitions of all attributes, one text each.
func Types() []string {
	types := make([]string, 0, len(attributeTypes))
	for _, t := range attributeTypes {
		types = append(types, t.String())
	}
	return types
}

// Classes are the definitions of all object classes, one text each.
func Classes() []string { return slices.Clone(objectClasses) }
