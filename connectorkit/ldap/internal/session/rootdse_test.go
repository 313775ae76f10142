package session

import (
	"testing"

	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

func TestTheKindOfDirectoryIsToldFromItsRoot(t *testing.T) {
	for want, root := range map[string]RootDSE{
		settings.FlavorAD:       {"supportedcapabilities": {settings.CapabilityAD, "1.2.840.113556.1.4.1670"}},
		settings.FlavorADLDS:    {"supportedcapabilities": {settings.CapabilityAD, settings.CapabilityADLDS}},
		settings.FlavorOpenLDAP: {"objectclass": {"top", "OpenLDAProotDSE"}},
		settings.Flavor389DS:    {"vendorname": {"389 Project"}, "vendorversion": {"389-Directory/2.3.1"}},
		settings.FlavorFreeIPA:  {"vendorname": {"389 Project"}, "ipatopologypluginversion": {"1.0"}},
		settings.FlavorEDir: {
			"vendorname": {"NetIQ Corporation"}, "vendorversion": {"LDAP Agent for NetIQ eDirectory 9.2"},
		},
		settings.FlavorOUD: {
			"vendorname": {"Oracle Corporation"}, "vendorversion": {"Oracle Unified Directory 12.2.1.4.0"},
		},
		settings.FlavorIBM:     {"vendorname": {"International Business Machines (IBM)"}, "vendorversion": {"8.0.1"}},
		settings.FlavorGeneric: {"vendorname": {"Apache Software Foundation"}},
	} {
		if got := DetectFlavor(root).Name; got != want {
			t.Errorf("detect(%v) = %s, want %s", root, got, want)
		}
	}
	if got := DetectFlavor(nil).Name; got != settings.FlavorGeneric {
		t.Errorf("detect(nothing) = %s", got)
	}
}
