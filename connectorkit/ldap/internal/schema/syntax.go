package schema

import (
	"strconv"
	"strings"
)

// SyntaxOf follows an attribute's ancestors to its syntax.
func (sc Schema) SyntaxOf(name string) string {
	for range 20 {
		a := sc.Attributes[strings.ToLower(name)]
		if a == nil {
			return ""
		}
		if a.syntax != "" {
			return a.syntax
		}
		name = a.sup
	}
	return ""
}

// standardSyntax begins the OIDs of the syntaxes of RFC 4517.
const standardSyntax = "1.3.6.1.4.1.1466.115.121.1."

// FieldType maps a syntax (RFC 4517, MS-ADTS section 3.1.1.2.2.2) to a type and a format of protocol v1.
func FieldType(oid string) (kind, format string) {
	switch oid {
	case "1.2.840.113556.1.4.906": // large integer
		return "integer", ""
	case "1.2.840.113556.1.4.907": // security descriptor
		return "binary", ""
	case "1.2.840.113556.1.4.903", "1.2.840.113556.1.4.904": // DN with binary, DN with string
		return "string", ""
	case "1.3.6.1.1.16.1":
		return "string", "uuid"
	}
	number, err := strconv.Atoi(strings.TrimPrefix(oid, standardSyntax))
	if err != nil {
		return "string", ""
	}
	switch number {
	case 7:
		return "boolean", ""
	case 27:
		return "integer", ""
	case 24, 53:
		return "datetime", "generalizedtime"
	case 12, 34:
		return "reference", "dn"
	case 50, 22:
		return "string", "phone"
	case 4, 5, 8, 9, 10, 23, 28, 40, 49:
		return "binary", ""
	}
	return "string", ""
}
