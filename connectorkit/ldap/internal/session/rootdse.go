package session

import (
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// RootDSE is what the directory says about itself (RFC 4512 section 5.1). All of it may be missing.
type RootDSE map[string][]string

// First is the first value of an attribute; empty where the rootDSE does not show it.
func (r RootDSE) First(name string) string {
	if v := r[strings.ToLower(name)]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Has reports whether an attribute holds a value, in any case of letters.
func (r RootDSE) Has(name, value string) bool {
	return slices.ContainsFunc(r[strings.ToLower(name)], func(v string) bool { return strings.EqualFold(v, value) })
}

// rootAttributes are asked for by name too, since some servers do not show them with *.
var rootAttributes = []string{
	"*", "+", "namingContexts", "defaultNamingContext", "rootDomainNamingContext", "supportedControl",
	"supportedCapabilities",
	"subschemaSubentry", "vendorName", "vendorVersion", "currentTime", "dnsHostName", "objectClass", "dsServiceName",
	"highestCommittedUSN", "changelog", "firstChangeNumber", "lastChangeNumber",
}

// ReadRootDSE reads the rootDSE. A directory that hides it is read all the same, so a refusal gives an empty one.
func ReadRootDSE(conn *wire.Conn) (RootDSE, error) {
	root := RootDSE{}
	_, err := conn.Search(wire.Request{
		Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: rootAttributes,
	}, func(e *wire.Entry) error {
		for _, a := range e.Attributes {
			key := strings.ToLower(string(a.Name))
			for _, v := range a.Values {
				root[key] = append(root[key], string(v))
			}
		}
		return nil
	})
	if err != nil && conn.Broken() {
		return nil, err
	}
	return root, nil
}

// DetectFlavor returns the kind of directory from its rootDSE.
func DetectFlavor(root RootDSE) settings.Flavor {
	vendor := strings.ToLower(root.First("vendorName") + " " + root.First("vendorVersion"))
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(vendor, w) })
	}
	switch {
	case root.Has("supportedCapabilities", settings.CapabilityADLDS):
		return settings.FlavorNamed(settings.FlavorADLDS)
	case root.Has("supportedCapabilities", settings.CapabilityAD):
		return settings.FlavorNamed(settings.FlavorAD)
	case root.Has("objectClass", "OpenLDAProotDSE"):
		return settings.FlavorNamed(settings.FlavorOpenLDAP)
	case is("389", "fedora", "red hat directory") && root.First("ipaDomainLevel")+
		root.First("ipatopologypluginversion") != "":
		return settings.FlavorNamed(settings.FlavorFreeIPA)
	case is("389", "fedora", "red hat directory"):
		return settings.FlavorNamed(settings.Flavor389DS)
	case is("edirectory", "novell", "netiq"):
		return settings.FlavorNamed(settings.FlavorEDir)
	case is("unified directory", "opendj", "forgerock", "ping identity", "unboundid"):
		return settings.FlavorNamed(settings.FlavorOUD)
	case is("international business machines", "ibm"):
		return settings.FlavorNamed(settings.FlavorIBM)
	}
	return settings.FlavorNamed(settings.FlavorGeneric)
}

// TargetFacts is what the connection test shows of the directory.
func TargetFacts(root RootDSE, f settings.Flavor) *v1.TargetFacts {
	out := &v1.TargetFacts{
		Vendor: f.Vendor, Version: root.First("vendorVersion"),
		SupportedControls: sorted(root["supportedcontrol"]), NamingContexts: sorted(root["namingcontexts"]),
	}
	if out.Vendor == "" {
		out.Vendor = root.First("vendorName")
	}
	if at, ok := syntax.ParseGeneralizedTime(root.First("currentTime")); ok {
		out.ServerTime = &at
	}
	return out
}

// sorted is a sorted copy. Directories list their controls in any order.
func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// Identify reads the rootDSE and settles what kind of directory this is.
func (se *Session) Identify() error {
	root, err := ReadRootDSE(se.Conn)
	if err != nil {
		return err
	}
	se.Root = root
	if se.Settings.Flavor == settings.Auto {
		se.Flavor = DetectFlavor(root)
	} else {
		se.Flavor = settings.FlavorNamed(se.Settings.Flavor)
	}
	return nil
}
