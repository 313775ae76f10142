package session

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// PermanentLock is the pwdAccountLockedTime of an account that an administrator has closed and only one can
// open again (draft-behera-ldap-password-policy section 5.3.3). That is what others call disabled; a real
// time is a lockout that passes.
const PermanentLock = "000001010000Z"

// Disabling says how accounts are disabled: by a bit of userAccountControl, by a value of an attribute, or by
// their place.
type Disabling struct {
	AccountControl bool
	Attribute      string
	DisabledValue  string
	EnabledValue   string // empty: the attribute is removed
	Container      string
}

// Disabling settles how accounts are disabled in this directory.
func (se *Session) Disabling() Disabling {
	w := se.Write
	switch w.DisableStrategy {
	case settings.DisableByAccountControl:
		return Disabling{AccountControl: true}
	case settings.DisableByNsAccountLock:
		return Disabling{Attribute: "nsAccountLock", DisabledValue: "true"}
	case settings.DisableByPasswordPolicy:
		return Disabling{Attribute: "pwdAccountLockedTime", DisabledValue: PermanentLock}
	case settings.DisableByAttribute:
		return Disabling{Attribute: w.DisableAttribute, DisabledValue: w.DisabledValue, EnabledValue: w.EnabledValue}
	case settings.DisableByMoving:
		return Disabling{Container: w.DisabledContainer}
	}
	switch se.Flavor.Name {
	case settings.FlavorAD:
		return Disabling{AccountControl: true}
	case settings.FlavorADLDS:
		return Disabling{Attribute: "msDS-UserAccountDisabled", DisabledValue: "TRUE", EnabledValue: "FALSE"}
	case settings.Flavor389DS, settings.FlavorFreeIPA:
		return Disabling{Attribute: "nsAccountLock", DisabledValue: "true"}
	case settings.FlavorEDir:
		return Disabling{Attribute: "loginDisabled", DisabledValue: "TRUE", EnabledValue: "FALSE"}
	case settings.FlavorOUD:
		return Disabling{Attribute: "ds-pwp-account-disabled", DisabledValue: "true"}
	case settings.FlavorIBM:
		return Disabling{Attribute: "ibm-pwdAccountLocked", DisabledValue: "true", EnabledValue: "false"}
	}
	if strings.EqualFold(se.IdAttribute, "nsUniqueId") {
		return Disabling{Attribute: "nsAccountLock", DisabledValue: "true"}
	}
	return Disabling{Attribute: "pwdAccountLockedTime", DisabledValue: PermanentLock}
}
