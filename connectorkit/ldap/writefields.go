package ldap

import (
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit"
)

// Values of the disable_strategy setting.
const (
	closeUAC       = "user_account_control"
	closeNsLock    = "ns_account_lock"
	closePPolicy   = "ppolicy"
	closeAttribute = "attribute"
	closeMove      = "move"
)

// Values of the password_method setting.
const (
	passwordExtended  = "password_modify"
	passwordAttribute = "attribute"
)

// writing are the settings that only changes need, but for those of disabling, which a reader has to know too.
type writing struct {
	container   string
	rdn         string // attribute; empty: by the kind of directory
	rdnTemplate string
	classes     []string
	defaults    map[string]any

	closing           string
	closingAttribute  string
	closedValue       string
	openValue         string
	disabledContainer string

	leafOnly bool
	password string
}

func writeFields() []connectorkit.Field {
	return []connectorkit.Field{
		{Key: "create_container", Label: "Place of new accounts", Type: "string", Advanced: true, Help: "A DN such as ou=people,dc=example,dc=com. If omitted: the base DN of people if it is set, or the base DN if it is not a whole domain. Otherwise: CN=Users of the domain on Active Directory, ou=people below the base DN elsewhere."},
		{Key: "create_rdn_attribute", Label: "Naming attribute of new accounts", Type: "string", Default: auto, Advanced: true, Help: "auto: cn on Active Directory, the user name attribute (uid) elsewhere."},
		{Key: "create_rdn_value", Label: "Name of new accounts", Type: "string", Default: "{username}", Advanced: true, Help: "What the naming attribute holds. Braces name a field of the account or an attribute: {username}, {display_name}, {givenName} {sn}."},
		{Key: "create_object_classes", Label: "Object classes of new accounts", Type: "string_list", Advanced: true, Help: "If omitted: user and its parents on Active Directory, inetOrgPerson and its parents elsewhere."},
		{Key: "create_defaults", Label: "Further attributes of new accounts", Type: "object", Advanced: true, Help: `Attributes for whatever is not given otherwise, with the same braces: {"userPrincipalName": "{username}@example.com", "loginShell": "/bin/bash"}.`},
		{Key: "disable_strategy", Label: "How accounts are disabled", Type: "enum", Enum: []string{auto, closeUAC, closeNsLock, closePPolicy, closeAttribute, closeMove}, Default: auto, Advanced: true, Help: "auto: by userAccountControl on Active Directory, nsAccountLock on 389 Directory Server, pwdAccountLockedTime (ppolicy) on OpenLDAP and others."},
		{Key: "disable_attribute", Label: "Attribute that disables", Type: "string", Required: true, Advanced: true, DependsOn: "disable_strategy", DependsVals: []string{closeAttribute}},
		{Key: "disable_value", Label: "Its value when disabled", Type: "string", Required: true, Advanced: true, DependsOn: "disable_strategy", DependsVals: []string{closeAttribute}},
		{Key: "enable_value", Label: "Its value when enabled", Type: "string", Advanced: true, DependsOn: "disable_strategy", DependsVals: []string{closeAttribute}, Help: "If omitted, the attribute is removed."},
		{Key: "disabled_container", Label: "Place of disabled accounts", Type: "string", Required: true, Advanced: true, DependsOn: "disable_strategy", DependsVals: []string{closeMove}, Help: "A DN below the base DN of people. Enabling moves an account to the place of new accounts."},
		{Key: "delete_leaf_only", Label: "Delete single entries only", Type: "boolean", Default: true, Advanced: true, Help: "An account with entries below it is not deleted. Off, it is deleted with all below it, where the directory offers that."},
		{Key: "password_method", Label: "How passwords are set", Type: "enum", Enum: []string{auto, passwordExtended, passwordAttribute}, Default: auto, Advanced: true, Help: "auto: unicodePwd on Active Directory; the password modify operation (RFC 3062) on OpenLDAP, which hashes only what is set so; userPassword elsewhere."},
	}
}

func (s *settings) readWriting(in *connectorkit.Settings) {
	s.writing = writing{
		container: placeOf(in, "create_container"), rdn: nameOf(in, "create_rdn_attribute"), rdnTemplate: in.String("create_rdn_value", "{username}"),
		classes: namesOf(in, "create_object_classes"), defaults: in.Map("create_defaults"),
		closing:          in.OneOf("disable_strategy", auto, auto, closeUAC, closeNsLock, closePPolicy, closeAttribute, closeMove),
		closingAttribute: nameOf(in, "disable_attribute"), closedValue: in.String("disable_value", ""), openValue: in.String("enable_value", ""),
		disabledContainer: placeOf(in, "disabled_container"), leafOnly: in.Bool("delete_leaf_only", true),
		password: in.OneOf("password_method", auto, auto, passwordExtended, passwordAttribute),
	}
	for name := range s.writing.defaults {
		checkName(in, "create_defaults", name)
	}
	switch w := s.writing; {
	case w.closing == closeAttribute && (w.closingAttribute == "" || w.closedValue == ""):
		in.Wrong("disable_strategy attribute needs disable_attribute and disable_value")
	case w.closing == closeMove && w.disabledContainer == "":
		in.Wrong("disable_strategy move needs disabled_container")
	}
	if s.writing.closing != closeAttribute {
		s.writing.closingAttribute, s.writing.closedValue, s.writing.openValue = "", "", ""
	}
	if s.writing.closing != closeMove {
		s.writing.disabledContainer = ""
	}
}

// placeOf reads a DN.
func placeOf(in *connectorkit.Settings, key string) string {
	dn := strings.TrimSpace(in.String(key, ""))
	if _, err := goldap.ParseDN(dn); err != nil {
		in.Wrong("%s is not a DN (RFC 4514): %v", key, err)
	}
	return dn
}

// closing says how accounts are disabled: by a bit of userAccountControl, by a value of an attribute, or by their place.
type closing struct {
	control   bool
	attribute string
	closed    string
	open      string // empty: the attribute is removed
	container string
}

// closing settles how accounts are disabled in this directory.
func (se *session) closing() closing {
	w := se.writing
	switch w.closing {
	case closeUAC:
		return closing{control: true}
	case closeNsLock:
		return closing{attribute: "nsAccountLock", closed: "true"}
	case closePPolicy:
		return closing{attribute: "pwdAccountLockedTime", closed: lockedForGood}
	case closeAttribute:
		return closing{attribute: w.closingAttribute, closed: w.closedValue, open: w.openValue}
	case closeMove:
		return closing{container: w.disabledContainer}
	}
	switch se.flavor.name {
	case flavorAD:
		return closing{control: true}
	case flavorADLDS:
		return closing{attribute: "msDS-UserAccountDisabled", closed: "TRUE", open: "FALSE"}
	case flavor389, flavorFreeIPA:
		return closing{attribute: "nsAccountLock", closed: "true"}
	case flavorEDir:
		return closing{attribute: "loginDisabled", closed: "TRUE", open: "FALSE"}
	case flavorOUD:
		return closing{attribute: "ds-pwp-account-disabled", closed: "true"}
	case flavorIBM:
		return closing{attribute: "ibm-pwdAccountLocked", closed: "true", open: "false"}
	}
	if strings.EqualFold(se.idAttribute, "nsUniqueId") {
		return closing{attribute: "nsAccountLock", closed: "true"}
	}
	return closing{attribute: "pwdAccountLockedTime", closed: lockedForGood}
}

// closedHere completes a status by what only the settings tell to mean disabled.
func (r *run) closedHere(st *status, native string) {
	w := r.writing
	switch {
	case w.closing == closeAttribute:
		st.disabled = st.disabled || slices.ContainsFunc(r.rec.closing, func(v []byte) bool { return strings.EqualFold(string(v), w.closedValue) })
	case w.closing == closeMove:
		st.disabled = st.disabled || isWithin(native, w.disabledContainer)
	}
}
