package config

import (
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
)

// authSignature is the auth_method of services that know the caller by its signature alone.
const authSignature = "signature"

// authMethods are the words of auth_method, the default first.
var authMethods = []string{
	target.AuthNone,
	target.AuthBearer,
	target.AuthBasic,
	target.AuthAPIKeyHeader,
	target.AuthClientCredentials,
}

// How a service that gives no cursor is asked for changes.
const (
	changesByCursor = "cursor"
	changesByTime   = "last_sync_at"
)

// Aliases are other names under which settings are accepted, with the names they stand for.
func Aliases() map[string]string {
	return map[string]string{"token": "bearer_token", "hmac_secret": "signing_secret", "tls_ca_pem": "ca_pem"}
}

// Fields describe the settings of the connector.
func Fields() []connectorkit.Field {
	least, most := 1, mostPages
	fields := []connectorkit.Field{
		{Key: "base_url", Label: "Base URL", Type: "string", Required: true,
			Help: "Address of the service, such as https://connector.example.com; it is asked at /v1/sync below."},
		{
			Key:      "sync_path",
			Label:    "Path of sync",
			Type:     "string",
			Advanced: true,
			Help: "Where the service takes a SyncRequest, when not at /v1/sync. " +
				"It is then asked for nothing but that.",
		},
	}
	fields = append(
		fields,
		target.AuthFields(append(authMethods[:len(authMethods):len(authMethods)], authSignature)...)...)
	fields = append(
		fields,
		connectorkit.Field{
			Key:         "signing_secret",
			Label:       "Signing secret",
			Type:        "string",
			Secret:      true,
			Required:    true,
			DependsOn:   "auth_method",
			DependsVals: []string{authSignature},
			Help: "whsec_ and the base64 of 24 to 64 random bytes. Requests are signed as webhooks are; with " +
				"another method too, where it is given.",
		},
		connectorkit.Field{
			Key:   "settings",
			Label: "Settings",
			Type:  "object",
			Help:  "Settings that the service requires, sent to it as auth_config.",
		},
		connectorkit.Field{
			Key:    "secret_settings",
			Label:  "Secret settings",
			Type:   "object",
			Secret: true,
			Help:   "The secrets among it, passed on in the same object.",
		},
		connectorkit.Field{Key: "writes", Label: "Makes changes", Type: "boolean", Default: false,
			Help: "The service takes changes at /v1/provision and returns single records at /v1/read."},
		connectorkit.Field{
			Key:      "operations",
			Label:    "Changes it makes",
			Type:     "string_list",
			Advanced: true,
			Help: "The changes that the service has, such as account.create and entitlement.grant. Empty: all. " +
				"The test compares the list with the service's manifest.",
		},
		connectorkit.Field{
			Key:      "changes_by",
			Label:    "Changes by",
			Type:     "enum",
			Enum:     []string{changesByCursor, changesByTime},
			Default:  changesByCursor,
			Advanced: true,
			Help: "last_sync_at: the service gives no cursor, but answers an incremental request with what has " +
				"changed since last_sync_at.",
		},
		connectorkit.Field{
			Key:      "max_pages",
			Label:    "Most pages",
			Type:     "integer",
			Default:  most,
			Min:      &least,
			Max:      &most,
			Advanced: true,
			Help:     "A read that needs more pages is stopped as a loop.",
		},
	)
	return append(fields, target.CommonFields()...)
}
