package connection

import (
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
)

// ObjectList is the Field type of a list of JSON objects, such as streams.
const ObjectList = "object_list"

// authMethods are the words of auth_method. The last is another way to write one of the keys; see Canonical.
var authMethods = []string{
	target.AuthNone, target.AuthBasic, target.AuthBearer, target.AuthAPIKeyHeader, target.AuthAPIKeyQuery,
	target.AuthClientCredentials, target.AuthJWTBearer, target.AuthAPIKey,
}

// Aliases are other names under which settings are accepted, with the names they stand for.
func Aliases() map[string]string {
	return map[string]string{"token": "bearer_token", "api_key_value": "api_key", "tls_ca_pem": "ca_pem"}
}

// Fields describe the settings of the connector.
func Fields() []connectorkit.Field {
	number := func(key, label, help string, def, least, most int) connectorkit.Field {
		return connectorkit.Field{
			Key:      key,
			Label:    label,
			Help:     help,
			Type:     "integer",
			Default:  def,
			Min:      &least,
			Max:      &most,
			Advanced: true,
		}
	}
	fields := []connectorkit.Field{{
		Key: "base_url", Label: "Base URL", Type: "string", Required: true,
		Help: "Address of the API, such as https://hr.example.com/api/v1.",
	}}
	fields = append(fields, target.AuthFields(authMethods...)...)
	fields = append(
		fields,
		connectorkit.Field{
			Key:         "api_key_in",
			Label:       "Key travels in",
			Type:        "enum",
			Enum:        []string{"header", "query"},
			Default:     "header",
			DependsOn:   "auth_method",
			DependsVals: []string{target.AuthAPIKey},
			Advanced:    true,
		},
		connectorkit.Field{Key: "probe_path", Label: "Path to test", Type: "string",
			Help: "What the connection test asks for. Without streams, also the path of the list of people."},
		connectorkit.Field{Key: "streams", Label: "Streams", Type: ObjectList,
			Help: "What to read, one JSON object for each stream. " +
				"If omitted, the list of people is detected automatically."},
		connectorkit.Field{Key: "writes", Label: "Changes", Type: "object", Advanced: true,
			Help: "How accounts and memberships are changed, one template for each kind of change. " +
				"Without any, the target is only read."},
		connectorkit.Field{
			Key:      "headers",
			Label:    "Headers",
			Type:     "object",
			Advanced: true,
			Help:     "Headers of every request that hold no secret.",
		},
		connectorkit.Field{
			Key:      "query",
			Label:    "Query parameters",
			Type:     "object",
			Advanced: true,
			Help:     "Parameters of every request that hold no secret.",
		},
		number("page_size", "Page size", "Page size, where a stream does not set its own.", 100, 1, 10000),
		number(
			"max_pages",
			"Most pages",
			"A read that needs more pages of a stream is stopped as a loop.",
			1000000,
			1,
			1000000,
		),
	)
	return append(fields, target.CommonFields()...)
}
