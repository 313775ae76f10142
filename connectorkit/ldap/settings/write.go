package settings

import (
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit"
)

// Values of the disable_strategy setting.
const (
	DisableByAccountControl = "user_account_control"
	DisableByNsAccountLock  = "ns_account_lock"
	DisableByPasswordPolicy = "ppolicy"
	DisableByAttribute      = "attribute"
	DisableByMoving         = "move"
)

// Values of the password_method setting.
const (
	PasswordExtended  = "password_modify"
	passwordAttribute = "attribute"
)

// WriteSettings are the settings that only changes need, but for those of disabling, which a reader has to know too.
type WriteSettings struct {
	CreateContainer string
	RDNAttribute    string // attribute; empty: by the kind of directory
	RDNTemplate     string
	CreateClasses   []string
	CreateDefaults  map[string]any

	DisableStrategy   string
	DisableAttribute  string
	DisabledValue     string
	EnabledValue      string
	DisabledContainer string

	DeleteLeafOnly bool
	PasswordMethod string
}

func writeFields() []connectorkit.Field {
	return []connectorkit.Field{
		{
			Key: "create_container", Label: "Place of new accounts", Type: "string", Advanced: true,
			Help: "A DN such as ou=people,dc=example,dc=com. If omitted: the base DN of people if it is set, or " +
				"the base DN if it is not a whole domain. Otherwise: CN=Users of the domain on Active Directory, " +
				"ou=people below the base DN elsewhere.",
		},
		{
			Key: "create_rdn_attribute", Label: "Naming attribute of new accounts", Type: "string", Default: Auto,
			Advanced: true, Help: "auto: cn on Active Directory, the user name attribute (uid) elsewhere.",
		},
		{
			Key: "create_rdn_value", Label: "Name of new accounts", Type: "string", Default: "{username}",
			Advanced: true,
			Help: "What the naming attribute holds. Braces name a field of the account or an attribute: " +
				"{username}, {display_name}, {givenName} {sn}.",
		},
		{
			Key: "create_object_classes", Label: "Object classes of new accounts", Type: "string_list", Advanced: true,
			Help: "If omitted: user and its parents on Active Directory, inetOrgPerson and its parents elsewhere.",
		},
		{
			Key: "create_defaults", Label: "Further attributes of new accounts", Type: "object", Advanced: true,
			Help: `Attributes for whatever is not given otherwise, with the same braces: ` +
				`{"userPrincipalName": "{username}@example.com", "loginShell": "/bin/bash"}.`,
		},
		{
			Key: "disable_strategy", Label: "How accounts are disabled", Type: "enum",
			Enum: []string{
				Auto, DisableByAccountControl, DisableByNsAccountLock, DisableByPasswordPolicy, DisableByAttribute,
				DisableByMoving,
			},
			Default: Auto, Advanced: true,
			Help: "auto: by userAccountControl on Active Directory, nsAccountLock on 389 Directory Server, " +
				"pwdAccountLockedTime (ppolicy) on OpenLDAP and others.",
		},
		{
			Key: "disable_attribute", Label: "Attribute that disables", Type: "string", Required: true, Advanced: true,
			DependsOn: "disable_strategy", DependsVals: []string{DisableByAttribute},
		},
		{
			Key: "disable_value", Label: "Its value when disabled", Type: "string", Required: true, Advanced: true,
			DependsOn: "disable_strategy", DependsVals: []string{DisableByAttribute},
		},
		{
			Key: "enable_value", Label: "Its value when enabled", Type: "string", Advanced: true,
			DependsOn: "disable_strategy", DependsVals: []string{DisableByAttribute},
			Help: "If omitted, the attribute is removed.",
		},
		{
			Key: "disabled_container", Label: "Place of disabled accounts", Type: "string", Required: true,
			Advanced: true, DependsOn: "disable_strategy", DependsVals: []string{DisableByMoving},
			Help: "A DN below the base DN of people. Enabling moves an account to the place of new accounts.",
		},
		{
			Key: "delete_leaf_only", Label: "Delete single entries only", Type: "boolean", Default: true,
			Advanced: true,
			Help: "An account with entries below it is not deleted. Off, it is deleted with all below it, " +
				"where the directory offers that.",
		},
		{
			Key: "password_method", Label: "How passwords are set", Type: "enum",
			Enum: []string{Auto, PasswordExtended, passwordAttribute}, Default: Auto, Advanced: true,
			Help: "auto: unicodePwd on Active Directory; the password modify operation (RFC 3062) on OpenLDAP, " +
				"which hashes only what is set so; userPassword elsewhere.",
		},
	}
}

func (s *Settings) readWriteSettings(in *connectorkit.Settings) {
	s.Write = WriteSettings{
		CreateContainer: dnOf(in, "create_container"), RDNAttribute: nameOf(in, "create_rdn_attribute"),
		RDNTemplate:   in.String("create_rdn_value", "{username}"),
		CreateClasses: namesOf(in, "create_object_classes"), CreateDefaults: in.Map("create_defaults"),
		DisableStrategy: in.OneOf(
			"disable_strategy", Auto, Auto, DisableByAccountControl, DisableByNsAccountLock, DisableByPasswordPolicy,
			DisableByAttribute, DisableByMoving,
		),
		DisableAttribute: nameOf(in, "disable_attribute"), DisabledValue: in.String("disable_value", ""),
		EnabledValue:      in.String("enable_value", ""),
		DisabledContainer: dnOf(in, "disabled_container"), DeleteLeafOnly: in.Bool("delete_leaf_only", true),
		PasswordMethod: in.OneOf("password_method", Auto, Auto, PasswordExtended, passwordAttribute),
	}
	for name := range s.Write.CreateDefaults {
		checkName(in, "create_defaults", name)
	}
	switch w := s.Write; {
	case w.DisableStrategy == DisableByAttribute && (w.DisableAttribute == "" || w.DisabledValue == ""):
		in.Wrong("disable_strategy attribute needs disable_attribute and disable_value")
	case w.DisableStrategy == DisableByMoving && w.DisabledContainer == "":
		in.Wrong("disable_strategy move needs disabled_container")
	}
	if s.Write.DisableStrategy != DisableByAttribute {
		s.Write.DisableAttribute, s.Write.DisabledValue, s.Write.EnabledValue = "", "", ""
	}
	if s.Write.DisableStrategy != DisableByMoving {
		s.Write.DisabledContainer = ""
	}
}

// dnOf reads a DN.
func dnOf(in *connectorkit.Settings, key string) string {
	dn := strings.TrimSpace(in.String(key, ""))
	if _, err := goldap.ParseDN(dn); err != nil {
		in.Wrong("%s is not a DN (RFC 4514): %v", key, err)
	}
	return dn
}
