package target

import (
	"math"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
)

// The words of auth_method.
const (
	AuthNone              = "none"
	AuthBasic             = "basic"
	AuthBearer            = "bearer"
	AuthAPIKey            = "api_key" // in the header that api_key_name names
	AuthAPIKeyHeader      = "api_key_header"
	AuthAPIKeyQuery       = "api_key_query"
	AuthClientCredentials = "oauth2_client_credentials"
	AuthJWTBearer         = "oauth2_jwt_bearer"
)

// ReadOptions reads the settings that all HTTP connectors share (see CommonFields) but for the credentials. Mistakes are
// noted in s.
func ReadOptions(s *connectorkit.Settings) Options {
	o := Options{
		BaseURL:        s.Required("base_url"),
		Headers:        texts(s, "extra_headers"),
		UserAgent:      s.String("user_agent", ""),
		Timeout:        time.Duration(s.Int("timeout_s", 60, 1, 600)) * time.Second,
		BodyTime:       time.Duration(s.Int("page_timeout_s", 60, 1, 3600)) * time.Second,
		ConnectTimeout: time.Duration(s.Int("connect_timeout_s", 10, 1, 120)) * time.Second,
		RateRPS:        float64(s.Int("rate_limit_rps", 0, 0, 10000)),
		Concurrency:    s.Int("max_concurrency", defaultParallel, 1, 64),
		TLS: TLS{
			CAPEM: s.String("ca_pem", ""), ServerName: s.String("tls_server_name", ""),
			SkipVerify:    s.Bool("tls_insecure_skip_verify", false),
			ClientCertPEM: s.String("client_cert_pem", ""), ClientKeyPEM: s.String("client_key_pem", ""),
		},
	}
	readRate(s, &o)
	return o
}

// readRate reads rate_limit, whose members come before the settings of one number each.
func readRate(s *connectorkit.Settings, o *Options) {
	for name, v := range s.Map("rate_limit") {
		var least, most float64
		switch name {
		case "rps":
			least, most = 0.001, 10000
		case "burst":
			least, most = 1, 10000
		case "concurrency":
			least, most = 1, 64
		default:
			s.Wrong("rate_limit has no member %s", name)
			continue
		}
		n, ok := number(v)
		if !ok || n < least || n > most || name != "rps" && n != math.Trunc(n) {
			s.Wrong("rate_limit.%s must be a number between %g and %g", name, least, most)
			continue
		}
		switch name {
		case "rps":
			o.RateRPS = n
		case "burst":
			o.RateBurst = int(n)
		case "concurrency":
			o.Concurrency = int(n)
		}
	}
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// texts reads an object whose values are all strings.
func texts(s *connectorkit.Settings, key string) map[string]string {
	object := s.Map(key)
	if len(object) == 0 {
		return nil
	}
	out := make(map[string]string, len(object))
	for name, v := range object {
		text, ok := v.(string)
		if !ok {
			s.Wrong("%s must have strings as values", key)
			return nil
		}
		out[name] = text
	}
	return out
}

// ReadAuth reads auth_method, which must be one of allowed, and the credentials it needs. Without auth_method it is inferred
// from the credentials that are given, where they leave no doubt. Mistakes are noted in s.
func ReadAuth(s *connectorkit.Settings, allowed ...string) Auth {
	method := s.String("auth_method", "")
	if method == "" {
		method = infer(s, allowed)
	} else {
		method = s.OneOf("auth_method", "", allowed...)
	}
	switch method {
	case AuthBasic:
		return Basic{Username: s.Required("username"), Password: s.String("password", "")}
	case AuthBearer:
		return bearer(s)
	case AuthAPIKey, AuthAPIKeyHeader, AuthAPIKeyQuery:
		name := "X-API-Key"
		if method == AuthAPIKeyQuery {
			name = "api_key"
		}
		return APIKey{Name: s.String("api_key_name", name), Key: s.Required("api_key"), InQuery: method == AuthAPIKeyQuery}
	case AuthClientCredentials:
		return ClientCredentials{
			TokenURL: s.Required("token_url"), ClientID: s.Required("client_id"), ClientSecret: s.Required("client_secret"),
			Scope: s.String("scope", ""), Audience: s.String("audience", ""), Resource: s.String("resource", ""),
			InBody: s.OneOf("token_auth_style", "client_secret_basic", "client_secret_basic", "client_secret_post") == "client_secret_post",
			Extra:  texts(s, "token_extra_params"),
		}
	}
	if method == AuthJWTBearer {
		return assertion(s)
	}
	return None{}
}

func assertion(s *connectorkit.Settings) Auth {
	a := &Assertion{
		Issuer: s.Required("jwt_issuer"), Subject: s.String("jwt_subject", ""), Audience: s.String("audience", ""),
		Key: s.Required("jwt_private_key"), KeyID: s.String("jwt_key_id", ""),
	}
	if _, _, err := signer(a.Key); err != nil && a.Key != "" {
		s.Wrong("%v", err)
	}
	return ClientCredentials{TokenURL: s.Required("token_url"), Scope: s.String("scope", ""), Assertion: a}
}

// bearer reads the token under either of its two names; both mean the same.
func bearer(s *connectorkit.Settings) Auth {
	token := s.String("bearer_token", s.String("token", ""))
	if token == "" {
		s.Wrong("bearer_token is missing")
	}
	prefix := s.String("token_prefix", "Bearer")
	return Bearer{Token: token, Prefix: prefix, NoPrefix: prefix == "none"}
}

// infer finds the one method whose credentials are given.
func infer(s *connectorkit.Settings, allowed []string) string {
	given := map[string]bool{
		AuthBearer:            s.String("bearer_token", s.String("token", "")) != "",
		AuthClientCredentials: s.String("client_id", "") != "" || s.String("client_secret", "") != "",
		AuthJWTBearer:         s.String("jwt_issuer", "") != "" || s.String("jwt_private_key", "") != "",
		AuthBasic:             s.String("username", "") != "" || s.String("password", "") != "",
		AuthAPIKey:            s.String("api_key", "") != "",
		AuthAPIKeyHeader:      s.String("api_key", "") != "",
	}
	var found []string
	for _, method := range allowed {
		if given[method] {
			found = append(found, method)
		}
	}
	switch {
	case len(found) == 1:
		return found[0]
	case len(found) > 1:
		s.Wrong("auth_method is missing, and the credentials fit %d methods", len(found))
	case !slices.Contains(allowed, AuthNone):
		s.Wrong("auth_method is missing, and no credentials are given")
	}
	return AuthNone
}

// AuthFields describe auth_method and the credentials of the given methods, for a connector's Fields. The first is the default.
func AuthFields(methods ...string) []connectorkit.Field {
	fields := []connectorkit.Field{{
		Key: "auth_method", Label: "Authentication", Type: "enum", Enum: methods, Default: methods[0],
		Help: "How the connector authenticates. Optional if the credentials allow only one method.",
	}}
	apiKey := []string{AuthAPIKey, AuthAPIKeyHeader, AuthAPIKeyQuery}
	oauth, signed, either := []string{AuthClientCredentials}, []string{AuthJWTBearer}, []string{AuthClientCredentials, AuthJWTBearer}
	all := []connectorkit.Field{
		{Key: "bearer_token", Label: "Bearer token", Type: "string", Required: true, Secret: true, DependsVals: []string{AuthBearer}},
		{Key: "token_prefix", Label: "Token prefix", Type: "string", Default: "Bearer", Advanced: true, DependsVals: []string{AuthBearer},
			Help: "The word before the token in the Authorization header; none sends the bare token."},
		{Key: "username", Label: "User name", Type: "string", Required: true, DependsVals: []string{AuthBasic}},
		{Key: "password", Label: "Password", Type: "string", Required: true, Secret: true, DependsVals: []string{AuthBasic}},
		{Key: "api_key_name", Label: "Name of the key", Type: "string", DependsVals: apiKey,
			Help: "The header, or the query parameter, that carries the key: X-API-Key and api_key if omitted."},
		{Key: "api_key", Label: "API key", Type: "string", Required: true, Secret: true, DependsVals: apiKey},
		{Key: "token_url", Label: "Token URL", Type: "string", Required: true, DependsVals: either, Help: "The OAuth2 token endpoint."},
		{Key: "jwt_issuer", Label: "Issuer", Type: "string", Required: true, DependsVals: signed, Help: "The service account, such as its e-mail address."},
		{Key: "jwt_subject", Label: "Subject", Type: "string", DependsVals: signed, Help: "Whom the service account acts for."},
		{Key: "jwt_private_key", Label: "Private key", Type: "string", Required: true, Secret: true, DependsVals: signed, Help: "RSA or EC P-256, in PEM form."},
		{Key: "jwt_key_id", Label: "Key ID", Type: "string", Advanced: true, DependsVals: signed},
		{Key: "client_id", Label: "Client ID", Type: "string", Required: true, DependsVals: oauth},
		{Key: "client_secret", Label: "Client secret", Type: "string", Required: true, Secret: true, DependsVals: oauth},
		{Key: "scope", Label: "Scope", Type: "string", DependsVals: either, Help: "Scopes, separated by spaces."},
		{Key: "audience", Label: "Audience", Type: "string", Advanced: true, DependsVals: either},
		{Key: "resource", Label: "Resource", Type: "string", Advanced: true, DependsVals: oauth, Help: "Resource indicator (RFC 8707)."},
		{Key: "token_auth_style", Label: "Client authentication", Type: "enum", Advanced: true, DependsVals: oauth,
			Enum: []string{"client_secret_basic", "client_secret_post"}, Default: "client_secret_basic"},
		{Key: "token_extra_params", Label: "More token parameters", Type: "object", Advanced: true, Secret: true, DependsVals: oauth},
	}
	for _, f := range all {
		f.DependsVals = both(f.DependsVals, methods)
		if len(f.DependsVals) > 0 {
			f.DependsOn = "auth_method"
			fields = append(fields, f)
		}
	}
	return fields
}

func both(a, b []string) (out []string) {
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
		return connectorkit.Field{Key: key, Label: label, Help: help, Type: "integer", Default: def, Min: &least, Max: &most, Advanced: true}
	}
	return []connectorkit.Field{
		{Key: "extra_headers", Label: "Extra headers", Type: "object", Secret: true, Advanced: true, Help: "Headers to send with every request to the target."},
		{Key: "ca_pem", Label: "CA certificate", Type: "string", Advanced: true, Help: "Certificates to trust instead of the system's, in PEM form."},
		{Key: "tls_server_name", Label: "Expected server name", Type: "string", Advanced: true, Help: "Where the certificate is for another name than the host."},
		{Key: "tls_insecure_skip_verify", Label: "Do not check the certificate", Type: "boolean", Default: false, Advanced: true, Help: "Refused in hosted mode."},
		{Key: "client_cert_pem", Label: "Client certificate", Type: "string", Advanced: true},
		{Key: "client_key_pem", Label: "Client key", Type: "string", Secret: true, Advanced: true},
		number("timeout_s", "Timeout (s)", "How long to wait for the beginning of an answer, and for every part of it.", 60, 1, 600),
		number("page_timeout_s", "Time for one answer (s)", "How long to wait for all parts of one answer. One that comes at a fair rate may take longer.", 60, 1, 3600),
		number("connect_timeout_s", "Connect timeout (s)", "", 10, 1, 120),
		number("rate_limit_rps", "Requests a second", "0: no bound.", 0, 0, 10000),
		number("max_concurrency", "Requests at once", "", defaultParallel, 1, 64),
		{Key: "rate_limit", Label: "Rate limit", Type: "object", Advanced: true,
			Help: "Instead of the two above: rps (requests a second, may be a fraction), burst and concurrency. It holds for all connectors with the same host and credentials."},
		{Key: "user_agent", Label: "User agent", Type: "string", Advanced: true, Default: userAgent},
	}
}
