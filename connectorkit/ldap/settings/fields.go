package settings

import (
	"github.com/grantwright/grantwright/connectorkit"
)

// Values of the security setting.
const (
	SecurityNone     = "none"
	SecurityStartTLS = "starttls"
	SecurityLDAPS    = "ldaps"
)

// Values of the bind_method setting.
const (
	bindSimple    = "simple"
	bindAnonymous = "anonymous"
)

// Auto is the value of settings that the connector decides by itself.
const Auto = "auto"

// Fields describes the connection settings of an LDAP connector.
func Fields() []connectorkit.Field {
	fields := append(connectionFields(), scopeFields()...)
	fields = append(fields, advancedFields()...)
	return append(fields, writeFields()...)
}

func connectionFields() []connectorkit.Field {
	return []connectorkit.Field{
		{Key: "host", Label: "Host", Type: "string", Required: true, Help: "Name or address of the directory server."},
		{
			Key: "port", Label: "Port", Type: "integer", Min: intPtr(1), Max: intPtr(65535),
			Help: "389 for LDAP and StartTLS, 636 for LDAPS. If omitted, it follows the security setting.",
		},
		{
			Key: "security", Label: "Security", Type: "enum",
			Enum: []string{SecurityNone, SecurityStartTLS, SecurityLDAPS},
			Help: "If omitted: ldaps on ports 636 and 3269, none on other ports.",
		},
		{
			Key: "base_dn", Label: "Base DN", Type: "string",
			Help: "Where the search starts, for example dc=example,dc=com. Left out, the directory's own naming " +
				"context is used where there is just one.",
		},
		{
			Key: "bind_method", Label: "Sign-in", Type: "enum", Enum: []string{bindSimple, bindAnonymous},
			Help: "If omitted: simple if a bind DN is given.",
		},
		{
			Key: "bind_dn", Label: "Bind DN", Type: "string",
			Help: "The account that reads the directory: a DN, or user@domain on Active Directory.",
		},
		{Key: "bind_password", Label: "Bind password", Type: "string", Secret: true},
		{
			Key: "ca_pem", Label: "Certificate authority (PEM)", Type: "string",
			Help: "The authority that signed the directory's certificate, when it is not a public one.",
		},
	}
}

func scopeFields() []connectorkit.Field {
	return []connectorkit.Field{
		{
			Key: "user_filter", Label: "Filter for people", Type: "string",
			Help: "An LDAP filter. It is combined with the object classes for people, unless it tests objectClass " +
				"or objectCategory itself.",
		},
		{
			Key: "group_filter", Label: "Filter for groups", Type: "string",
			Help: "An LDAP filter, combined with the object classes for groups in the same way.",
		},
		{Key: "user_object_classes", Label: "Object classes of people", Type: "string_list", Advanced: true},
		{Key: "group_object_classes", Label: "Object classes of groups", Type: "string_list", Advanced: true},
		{
			Key: "user_base_dn", Label: "Base DN of people", Type: "string", Advanced: true,
			Help: "If omitted: the base DN.",
		},
		{
			Key: "group_base_dn", Label: "Base DN of groups", Type: "string", Advanced: true,
			Help: "If omitted: the base DN.",
		},
		{
			Key: "scope", Label: "Search scope", Type: "enum", Enum: []string{"sub", "one"}, Default: "sub",
			Advanced: true, Help: "sub: everything below the base DN; one: only entries directly below it.",
		},
	}
}

func advancedFields() []connectorkit.Field {
	return []connectorkit.Field{
		{Key: "flavor", Label: "Kind of directory", Type: "enum", Enum: flavorNames(), Default: Auto, Advanced: true},
		{
			Key: "change_mode", Label: "How changes are found", Type: "enum", Enum: modeNames(), Default: Auto,
			Advanced: true, Help: "auto: by the best way the directory offers. none: every sync reads everything.",
		},
		{
			Key: "id_attribute", Label: "Key attribute", Type: "string", Default: Auto, Advanced: true,
			Help: "An attribute that never changes, such as entryUUID or objectGUID.",
		},
		{
			Key: "username_attribute", Label: "User name attribute", Type: "string", Default: Auto, Advanced: true,
			Help: "auto: sAMAccountName, uid or cn.",
		},
		{
			Key: "member_attribute", Label: "Member attribute of groups", Type: "string", Default: Auto,
			Advanced: true, Help: "auto: member, uniqueMember and memberUid.",
		},
		{
			Key: "attributes", Label: "Attributes to read", Type: "string_list", Advanced: true,
			Help: "If omitted: all attributes that the directory returns. Passwords are never read.",
		},
		{
			Key: "binary_attributes", Label: "Binary attributes", Type: "string_list", Advanced: true,
			Help: "Attributes to hand on in base64.",
		},
		{
			Key: "page_size", Label: "Page size", Type: "integer", Default: 500, Min: intPtr(1), Max: intPtr(10000),
			Advanced: true,
		},
		{
			Key: "tls_server_name", Label: "Name in the certificate", Type: "string", Advanced: true,
			Help: "When it differs from the host.",
		},
		{
			Key: "tls_insecure_skip_verify", Label: "Accept any certificate", Type: "boolean", Default: false,
			Advanced: true,
			Help:     "Only on an agent, and never in production: anyone on the network path can read the password.",
		},
		{
			Key: "connect_timeout_s", Label: "Connect timeout (s)", Type: "integer", Default: 10, Min: intPtr(1),
			Max: intPtr(120), Advanced: true,
		},
		{
			Key:     "timeout_s",
			Label:   "Longest silence (s)",
			Type:    "integer",
			Default: 60,
			Min:     intPtr(1),
			Max: intPtr(
				600,
			),
			Advanced: true,
			Help:     "Maximum time without data from the directory before the call fails.",
		},
		{
			Key: "time_limit_s", Label: "Time limit of a search (s)", Type: "integer", Default: 0, Min: intPtr(0),
			Max: intPtr(86400), Advanced: true, Help: "Asked of the directory for each page; 0: none.",
		},
	}
}

func intPtr(n int) *int { return &n }
