package ldapdn

import (
	"strings"

	goldap "github.com/go-ldap/ldap/v3"
)

// Domain is the DNS name behind the last parts of a DN.
func Domain(base string) string {
	dn, err := goldap.ParseDN(base)
	if err != nil {
		return ""
	}
	var labels []string
	for _, rdn := range dn.RDNs {
		if a := rdn.Attributes[0]; strings.EqualFold(a.Type, "dc") {
			labels = append(labels, strings.ToLower(a.Value))
		}
	}
	return strings.Join(labels, ".")
}

// RDNValue is the value of an attribute in the first part of a DN; empty where that part does not have it.
func RDNValue(dn, attribute string) string {
	for _, a := range RDN(dn) {
		if strings.EqualFold(a.Type, attribute) {
			return a.Value
		}
	}
	return ""
}

// RDN takes the first part of a DN apart.
func RDN(dn string) []*goldap.AttributeTypeAndValue {
	parsed, err := goldap.ParseDN(dn)
	if err != nil || len(parsed.RDNs) == 0 {
		return nil
	}
	return parsed.RDNs[0].Attributes
}
