package settings

import (
	"slices"
)

// Kinds of directory, as the flavor setting names them.
const (
	FlavorAD        = "ad"
	FlavorADLDS     = "adlds"
	FlavorOpenLDAP  = "openldap"
	Flavor389DS     = "389ds"
	FlavorEDir      = "edirectory"
	FlavorOUD       = "oud"
	FlavorIBM       = "ibm"
	FlavorFreeIPA   = "freeipa"
	FlavorGeneric   = "generic"
	CapabilityAD    = "1.2.840.113556.1.4.800"
	CapabilityADLDS = "1.2.840.113556.1.4.1851"
)

// Flavor is what is known about a kind of directory beforehand.
type Flavor struct {
	Name                  string
	Vendor                string
	KeyAttribute          string // the attribute that holds the immutable key; empty: look at an entry
	UserFilter            string
	UserClasses           []string // shown by discovery
	GroupClasses          []string
	OperationalAttributes []string // attributes that * does not cover and that are worth having
	ActiveDirectory       bool     // values, ranges and primary groups as in Active Directory
}

var (
	personClasses = []string{"inetOrgPerson", "person", "posixAccount"}
	groupClasses  = []string{"groupOfNames", "groupOfUniqueNames", "posixGroup", "group"}
)

var flavorList = []Flavor{
	{
		Name: FlavorAD, Vendor: "Active Directory", KeyAttribute: "objectGUID", ActiveDirectory: true,
		UserFilter: "(&(objectCategory=person)(objectClass=user))", UserClasses: []string{"user"},
		GroupClasses:          []string{"group"},
		OperationalAttributes: []string{"msDS-User-Account-Control-Computed"},
	},
	{
		Name: FlavorADLDS, Vendor: "Active Directory Lightweight Directory Services", KeyAttribute: "objectGUID",
		ActiveDirectory: true,
		UserFilter:      "(objectClass=user)", UserClasses: []string{"user"}, GroupClasses: []string{"group"},
		OperationalAttributes: []string{"msDS-UserAccountDisabled", "msDS-User-Account-Control-Computed"},
	},
	{
		Name: FlavorOpenLDAP, Vendor: "OpenLDAP", KeyAttribute: "entryUUID",
		OperationalAttributes: []string{
			"entryUUID", "pwdAccountLockedTime", "pwdChangedTime", "pwdLastSuccess", "authTimestamp",
		},
	},
	{
		Name: Flavor389DS, Vendor: "389 Directory Server", KeyAttribute: "nsUniqueId",
		OperationalAttributes: []string{
			"nsUniqueId", "nsAccountLock", "accountUnlockTime", "pwdAccountLockedTime", "passwordExpirationTime",
			"pwdUpdateTime", "lastLoginTime",
		},
	},
	{
		Name: FlavorEDir, Vendor: "NetIQ eDirectory", KeyAttribute: "GUID",
		OperationalAttributes: []string{
			"GUID", "loginDisabled", "lockedByIntruder", "loginTime", "passwordExpirationTime",
		},
	},
	{
		Name: FlavorOUD, Vendor: "Oracle Unified Directory", KeyAttribute: "entryUUID",
		OperationalAttributes: []string{
			"entryUUID", "ds-pwp-account-disabled", "pwdChangedTime", "pwdAccountLockedTime",
		},
	},
	{
		Name: FlavorIBM, Vendor: "IBM Security Directory Server", KeyAttribute: "ibm-entryUuid",
		OperationalAttributes: []string{
			"ibm-entryUuid", "ibm-pwdAccountLocked", "pwdAccountLockedTime", "pwdChangedTime",
		},
	},
	{
		Name: FlavorFreeIPA, Vendor: "FreeIPA", KeyAttribute: "ipaUniqueID",
		OperationalAttributes: []string{
			"ipaUniqueID", "nsAccountLock", "krbLastPwdChange", "krbPasswordExpiration", "krbLastSuccessfulAuth",
			"krbPrincipalExpiration",
		},
	},
	{
		Name: FlavorGeneric,
		OperationalAttributes: []string{
			"entryUUID", "nsUniqueId", "ipaUniqueID", "GUID", "objectGUID", "nsAccountLock", "accountUnlockTime",
			"loginDisabled", "pwdAccountLockedTime", "pwdChangedTime",
		},
	},
}

func flavorNames() []string {
	names := []string{Auto}
	for _, f := range flavorList {
		names = append(names, f.Name)
	}
	return names
}

// FlavorNamed gives a flavor by its name, which must be one of the constants.
func FlavorNamed(name string) Flavor {
	i := slices.IndexFunc(flavorList, func(f Flavor) bool { return f.Name == name })
	f := flavorList[i]
	if f.UserClasses == nil {
		f.UserClasses, f.GroupClasses = personClasses, groupClasses
	}
	return f
}
