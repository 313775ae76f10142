package ldap

import (
	"regexp"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Kinds of directory, as the flavor setting names them.
const (
	flavorAD        = "ad"
	flavorADLDS     = "adlds"
	flavorOpenLDAP  = "openldap"
	flavor389       = "389ds"
	flavorEDir      = "edirectory"
	flavorOUD       = "oud"
	flavorIBM       = "ibm"
	flavorFreeIPA   = "freeipa"
	flavorGeneric   = "generic"
	capabilityAD    = "1.2.840.113556.1.4.800"
	capabilityADLDS = "1.2.840.113556.1.4.1851"
)

// flavor is what is known about a kind of directory beforehand.
type flavor struct {
	name         string
	vendor       string
	id           string // the attribute that holds the immutable key; empty: look at an entry
	userFilter   string
	userClasses  []string // shown by discovery
	groupClasses []string
	operational  []string // attributes that * does not cover and that are worth having
	activeDir    bool     // values, ranges and primary groups as in Active Directory
}

var (
	people = []string{"inetOrgPerson", "person", "posixAccount"}
	groups = []string{"groupOfNames", "groupOfUniqueNames", "posixGroup", "group"}
)

var flavors = []flavor{
	{
		name: flavorAD, vendor: "Active Directory", id: "objectGUID", activeDir: true,
		userFilter: "(&(objectCategory=person)(objectClass=user))", userClasses: []string{"user"}, groupClasses: []string{"group"},
		operational: []string{"msDS-User-Account-Control-Computed"},
	},
	{
		name: flavorADLDS, vendor: "Active Directory Lightweight Directory Services", id: "objectGUID", activeDir: true,
		userFilter: "(objectClass=user)", userClasses: []string{"user"}, groupClasses: []string{"group"},
		operational: []string{"msDS-UserAccountDisabled", "msDS-User-Account-Control-Computed"},
	},
	{name: flavorOpenLDAP, vendor: "OpenLDAP", id: "entryUUID", operational: []string{"entryUUID", "pwdAccountLockedTime", "pwdChangedTime", "pwdLastSuccess", "authTimestamp"}},
	{name: flavor389, vendor: "389 Directory Server", id: "nsUniqueId", operational: []string{"nsUniqueId", "nsAccountLock", "accountUnlockTime", "pwdAccountLockedTime", "passwordExpirationTime", "pwdUpdateTime", "lastLoginTime"}},
	{name: flavorEDir, vendor: "NetIQ eDirectory", id: "GUID", operational: []string{"GUID", "loginDisabled", "lockedByIntruder", "loginTime", "passwordExpirationTime"}},
	{name: flavorOUD, vendor: "Oracle Unified Directory", id: "entryUUID", operational: []string{"entryUUID", "ds-pwp-account-disabled", "pwdChangedTime", "pwdAccountLockedTime"}},
	{name: flavorIBM, vendor: "IBM Security Directory Server", id: "ibm-entryUuid", operational: []string{"ibm-entryUuid", "ibm-pwdAccountLocked", "pwdAccountLockedTime", "pwdChangedTime"}},
	{name: flavorFreeIPA, vendor: "FreeIPA", id: "ipaUniqueID", operational: []string{"ipaUniqueID", "nsAccountLock", "krbLastPwdChange", "krbPasswordExpiration", "krbLastSuccessfulAuth", "krbPrincipalExpiration"}},
	{name: flavorGeneric, operational: []string{"entryUUID", "nsUniqueId", "ipaUniqueID", "GUID", "objectGUID", "nsAccountLock", "accountUnlockTime", "loginDisabled", "pwdAccountLockedTime", "pwdChangedTime"}},
}

// keyAttributes are tried in this order where the kind of directory does not tell the key.
var keyAttributes = []string{"objectGUID", "entryUUID", "nsUniqueId", "ipaUniqueID", "GUID"}

func flavorNames() []string {
	names := []string{auto}
	for _, f := range flavors {
		names = append(names, f.name)
	}
	return names
}

func flavorNamed(name string) flavor {
	i := slices.IndexFunc(flavors, func(f flavor) bool { return f.name == name })
	f := flavors[i]
	if f.userClasses == nil {
		f.userClasses, f.groupClasses = people, groups
	}
	return f
}

// rootDSE is what the directory says about itself (RFC 4512 section 5.1). All of it may be missing.
type rootDSE map[string][]string

func (r rootDSE) first(name string) string {
	if v := r[strings.ToLower(name)]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func (r rootDSE) has(name, value string) bool {
	return slices.ContainsFunc(r[strings.ToLower(name)], func(v string) bool { return strings.EqualFold(v, value) })
}

// rootAttributes are asked for by name too, since some servers do not show them with *.
var rootAttributes = []string{
	"*", "+", "namingContexts", "defaultNamingContext", "rootDomainNamingContext", "supportedControl", "supportedCapabilities",
	"subschemaSubentry", "vendorName", "vendorVersion", "currentTime", "dnsHostName", "objectClass", "dsServiceName",
	"highestCommittedUSN", "changelog", "firstChangeNumber", "lastChangeNumber",
}

// readRoot reads the rootDSE. A directory that hides it is read all the same, so a refusal gives an empty one.
func readRoot(conn *wire.Conn) (rootDSE, error) {
	root := rootDSE{}
	_, err := conn.Search(wire.Request{Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: rootAttributes}, func(e *wire.Entry) error {
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

// detect tells the kind of directory from its rootDSE.
func detect(root rootDSE) flavor {
	vendor := strings.ToLower(root.first("vendorName") + " " + root.first("vendorVersion"))
	is := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(vendor, w) })
	}
	switch {
	case root.has("supportedCapabilities", capabilityADLDS):
		return flavorNamed(flavorADLDS)
	case root.has("supportedCapabilities", capabilityAD):
		return flavorNamed(flavorAD)
	case root.has("objectClass", "OpenLDAProotDSE"):
		return flavorNamed(flavorOpenLDAP)
	case is("389", "fedora", "red hat directory") && root.first("ipaDomainLevel")+root.first("ipatopologypluginversion") != "":
		return flavorNamed(flavorFreeIPA)
	case is("389", "fedora", "red hat directory"):
		return flavorNamed(flavor389)
	case is("edirectory", "novell", "netiq"):
		return flavorNamed(flavorEDir)
	case is("unified directory", "opendj", "forgerock", "ping identity", "unboundid"):
		return flavorNamed(flavorOUD)
	case is("international business machines", "ibm"):
		return flavorNamed(flavorIBM)
	}
	return flavorNamed(flavorGeneric)
}

func facts(root rootDSE, f flavor) *v1.TargetFacts {
	out := &v1.TargetFacts{
		Vendor: f.vendor, Version: root.first("vendorVersion"),
		SupportedControls: sorted(root["supportedcontrol"]), NamingContexts: sorted(root["namingcontexts"]),
	}
	if out.Vendor == "" {
		out.Vendor = root.first("vendorName")
	}
	if at, ok := ParseGeneralizedTime(root.first("currentTime")); ok {
		out.ServerTime = &at
	}
	return out
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}

// filters gives the filters for people and groups that the settings and the kind of directory ask for.
func filters(s *settings, f flavor) (users, groups string) {
	userClass := f.userFilter
	if userClass == "" || len(s.userClasses) > 0 {
		userClass = anyClass(s.userClasses, f.userClasses)
	}
	return both(userClass, s.userFilter, len(s.userClasses) > 0), both(anyClass(s.groupClasses, f.groupClasses), s.groupFilter, len(s.groupClasses) > 0)
}

func anyClass(classes, def []string) string {
	if len(classes) == 0 {
		classes = def
	}
	var b strings.Builder
	for _, c := range classes {
		b.WriteString("(objectClass=" + goldap.EscapeFilter(c) + ")")
	}
	if len(classes) == 1 {
		return b.String()
	}
	return "(|" + b.String() + ")"
}

var (
	classTest   = regexp.MustCompile(`(?i)\(\s*object(class|category)\s*=`)
	classDenied = regexp.MustCompile(`(?i)\(\s*!\s*\(\s*object(class|category)\s*=[^()]*\)\s*\)`)
)

// both joins the filter on classes with the configured one. A filter that itself says which classes it wants, and not only
// which it does not, stands alone, unless classes were configured too.
func both(class, custom string, keepClass bool) string {
	switch {
	case custom == "":
		return class
	case !keepClass && classTest.MatchString(classDenied.ReplaceAllString(custom, "")):
		return custom
	}
	return "(&" + class + custom + ")"
}
