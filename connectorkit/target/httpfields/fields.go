package httpfields

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
)

// AuthFields describe auth_method and the credentials of the given methods, for a connector's Fields. The
// first is the default.
func AuthFields(methods ...string) []connectorkit.Field {
	fields := []connectorkit.Field{{
		Key: "auth_method", Label: "Authentication", Type: "enum", Enum: methods, Default: methods[0],
		Help: "How the connector authenticates. Optional if the credentials allow only one method.",
	}}
	apiKey := []string{AuthAPIKey, AuthAPIKeyHeader, AuthAPIKeyQuery}
	oauth, signed, either := []string{AuthClientCredentials}, []string{AuthJWTBearer}, []string{
		AuthClientCredentials, AuthJWTBearer,
	}
	all := []connectorkit.Field{
		{
			Key: "bearer_token", Label: "Bearer token", Type: "string", Required: true, Secret: true,
			DependsVals: []string{AuthBearer},
		},
		{
			Key: "token_prefix", Label: "Token prefix", Type: "string", Default: "Bearer", Advanced: true,
			DependsVals: []string{AuthBearer},
			Help:        "The word before the token in the Authorization header; none sends the bare token.",
		},
		{Key: "username", Label: "User name", Type: "string", Required: true, DependsVals: []string{AuthBasic}},
		{
			Key: "password", Label: "Password", Type: "string", Required: true, Secret: true,
			DependsVals: []string{AuthBasic},
		},
		{Key: "api_key_name", Label: "Name of the key", Type: "string", DependsVals: apiKey,
			Help: "The header, or the query parameter, that carries the key: X-API-Key and api_key if omitted."},
		{Key: "api_key", Label: "API key", Type: "string", Required: true, Secret: true, DependsVals: apiKey},
		{
			Key: "token_url", Label: "Token URL", Type: "string", Required: true, DependsVals: either,
			Help: "The OAuth2 token endpoint.",
		},
		{
			Key: "jwt_issuer", Label: "Issuer", Type: "string", Required: true, DependsVals: signed,
			Help: "The service account, such as its e-mail address.",
		},
		{
			Key: "jwt_subject", Label: "Subject", Type: "string", DependsVals: signed,
			Help: "Whom the service account acts for.",
		},
		{
			Key: "jwt_private_key", Label: "Private key", Type: "string", Required: true, Secret: true,
			DependsVals: signed, Help: "RSA or EC P-256, in PEM form.",
		},
		{Key: "jwt_key_id", Label: "Key ID", Type: "string", Advanced: true, DependsVals: signed},
		{Key: "client_id", Label: "Client ID", Type: "string", Required: true, DependsVals: oauth},
		{
			Key: "client_secret", Label: "Client secret", Type: "string", Required: true, Secret: true,
			DependsVals: oauth,
		},
		{Key: "scope", Label: "Scope", Type: "string", DependsVals: either, Help: "Scopes, separated by spaces."},
		{Key: "audience", Label: "Audience", Type: "string", Advanced: true, DependsVals: either},
		{
			Key: "resource", Label: "Resource", Type: "string", Advanced: true, DependsVals: oauth,
			Help: "Resource indicator (RFC 8707).",
		},
		{Key: "token_auth_style", Label: "Client authentication", Type: "enum", Advanced: true, DependsVals: oauth,
			Enum: []string{"client_secret_basic", "client_secret_post"}, Default: "client_secret_basic"},
		{
			Key: "token_extra_params", Label: "More token parameters", Type: "object", Advanced: true, Secret: true,
			DependsVals: oauth,
		},
	}
	for _, f := range all {
		f.DependsVals = intersection(f.DependsVals, methods)
		if len(f.DependsVals) > 0 {
			f.DependsOn = "auth_method"
			fields = append(fields, f)
		}
	}
	return fields
}

func intersection(a, b []string) (out []string) {
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// CommonFields describe the settings that ReadOptions reads beside base_url.
func CommonFields() []connectorkit.Field {
	number := func(key, label, help string, def any, least, most int) connectorkit.Field {
		return connectorkit.Field{
			Key: key, Label: label, Help: help, Type: "integer", Default: def, Min: &least, Max: &most, Advanced: true,
		}
	}
	return []connectorkit.Field{
		{
			Key: "extra_headers", Label: "Extra headers", Type: "object", Secret: true, Advanced: true,
			Help: "Headers to send with every request to the target.",
		},
		{
			Key: "ca_pem", Label: "CA certificate", Type: "string", Advanced: true,
			Help: "Certificates to trust instead of the system's, in PEM form.",
		},
		{
			Key: "tls_server_name", Label: "Expected server name", Type: "string", Advanced: true,
			Help: "Where the certificate is for another name than the host.",
		},
		{
			Key: "tls_insecure_skip_verify", Label: "Do not check the certificate", Type: "boolean", Default: false,
			Advanced: true, Help: "Refused in hosted mode.",
		},
		{Key: "client_cert_pem", Label: "Client certificate", Type: "string", Advanced: true},
		{Key: "client_key_pem", Label: "Client key", Type: "string", Secret: true, Advanced: true},
		number(
			"timeout_s", "Timeout (s)", "How long to wait for the beginning of an answer, and for every part of it.",
			60, 1, 600,
		),
		number(
			"page_timeout_s", "Time for one answer (s)",
			"How long to wait for all parts of one answer. One that comes at a fair rate may take longer.", 60, 1,
			3600,
		),
		number("connect_timeout_s", "Connect timeout (s)", "", 10, 1, 120),
		number("rate_limit_rps", "Requests a second", "0: no bound.", 0, 0, 10000),
		number("max_concurrency", "Requests at once", "", DefaultConcurrency, 1, 64),
		{Key: "rate_limit", Label: "Rate limit", Type: "object", Advanced: true,
			Help: "Instead of the two above: rps (requests a second, may be a fraction), burst and concurrency. It " +
				"holds for all connectors with the same host and credentials."},
		{Key: "user_agent", Label: "User agent", Type: "string", Advanced: true, Default: DefaultUserAgent},
	}
}
