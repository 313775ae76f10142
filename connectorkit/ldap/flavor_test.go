package ldap

import (
	"slices"
	"testing"
)

func TestTheKindOfDirectoryIsToldFromItsRoot(t *testing.T) {
	for want, root := range map[string]rootDSE{
		flavorAD:       {"supportedcapabilities": {capabilityAD, "1.2.840.113556.1.4.1670"}},
		flavorADLDS:    {"supportedcapabilities": {capabilityAD, capabilityADLDS}},
		flavorOpenLDAP: {"objectclass": {"top", "OpenLDAProotDSE"}},
		flavor389:      {"vendorname": {"389 Project"}, "vendorversion": {"389-Directory/2.3.1"}},
		flavorFreeIPA:  {"vendorname": {"389 Project"}, "ipatopologypluginversion": {"1.0"}},
		flavorEDir:     {"vendorname": {"NetIQ Corporation"}, "vendorversion": {"LDAP Agent for NetIQ eDirectory 9.2"}},
		flavorOUD:      {"vendorname": {"Oracle Corporation"}, "vendorversion": {"Oracle Unified Directory 12.2.1.4.0"}},
		flavorIBM:      {"vendorname": {"International Business Machines (IBM)"}, "vendorversion": {"8.0.1"}},
		flavorGeneric:  {"vendorname": {"Apache Software Foundation"}},
	} {
		if got := detect(root).name; got != want {
			t.Errorf("detect(%v) = %s, want %s", root, got, want)
		}
	}
	if got := detect(nil).name; got != flavorGeneric {
		t.Errorf("detect(nothing) = %s", got)
	}
}

func TestFiltersJoinWhatIsConfiguredWithWhatIsUsual(t *testing.T) {
	openldap := flavorNamed(flavorOpenLDAP)
	usual := "(|(objectClass=inetOrgPerson)(objectClass=person)(objectClass=posixAccount))"
	for _, tt := range []struct {
		s    settings
		f    flavor
		want string
	}{
		{settings{}, openldap, usual},
		{settings{}, flavorNamed(flavorAD), "(&(objectCategory=person)(objectClass=user))"},
		{settings{userFilter: "(ou=IT)"}, openldap, "(&" + usual + "(ou=IT))"},
		{settings{userFilter: "(&(ou=IT)(!(objectClass=device)))"}, openldap, "(&" + usual + "(&(ou=IT)(!(objectClass=device))))"},
		{settings{userFilter: "(objectclass=employee)"}, openldap, "(objectclass=employee)"},
		{settings{userFilter: "(ou=IT)", userClasses: []string{"employee"}}, openldap, "(&(objectClass=employee)(ou=IT))"},
		{settings{userFilter: "(objectClass=x)", userClasses: []string{"a", "b"}}, openldap, "(&(|(objectClass=a)(objectClass=b))(objectClass=x))"},
	} {
		if got, _ := filters(&tt.s, tt.f); got != tt.want {
			t.Errorf("filters(%q, %v) = %s, want %s", tt.s.userFilter, tt.s.userClasses, got, tt.want)
		}
	}
}

func TestFieldsAreWellFormed(t *testing.T) {
	var seen, secret []string
	for _, f := range Fields() {
		if slices.Contains(seen, f.Key) || f.Label == "" || !slices.Contains([]string{"string", "integer", "boolean", "enum", "string_list", "object"}, f.Type) {
			t.Errorf("field %+v", f)
		}
		if (f.Type == "enum") != (len(f.Enum) > 0) {
			t.Errorf("field %s of type %s has the values %v", f.Key, f.Type, f.Enum)
		}
		seen = append(seen, f.Key)
		if f.Secret {
			secret = append(secret, f.Key)
		}
	}
	if !slices.Equal(secret, []string{"bind_password"}) {
		t.Errorf("secret fields %v", secret)
	}
}

func TestSecretAttributesAreKnownByName(t *testing.T) {
	for name, want := range map[string]bool{
		"userpassword": true, "unicodepwd": true, "ms-mcs-admpwd": true, "corpvpnpassword": true, "sambantpassword": true,
		"pwdlastset": false, "passwordexpirationtime": false, "pwdchangedtime": false, "mail": false, "badpwdcount": false,
	} {
		if got := isSecret(name); got != want {
			t.Errorf("isSecret(%s) = %v", name, got)
		}
	}
}
