package target

import (
	"math"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/httpfields"
	"github.com/grantwright/grantwright/connectorkit/target/internal/assertion"
	"github.com/grantwright/grantwright/connectorkit/target/internal/tlsconf"
)

// ReadOptions reads the settings that all HTTP connectors share (see CommonFields) but for the credentials.
// Mistakes are noted in s.
func ReadOptions(s *connectorkit.Settings) Options {
	o := Options{
		BaseURL:        s.Required("base_url"),
		Headers:        texts(s, "extra_headers"),
		UserAgent:      s.String("user_agent", ""),
		Timeout:        time.Duration(s.Int("timeout_s", 60, 1, 600)) * time.Second,
		BodyTime:       time.Duration(s.Int("page_timeout_s", 60, 1, 3600)) * time.Second,
		ConnectTimeout: time.Duration(s.Int("connect_timeout_s", 10, 1, 120)) * time.Second,
		RateRPS:        float64(s.Int("rate_limit_rps", 0, 0, 10000)),
		Concurrency:    s.Int("max_concurrency", httpfields.DefaultConcurrency, 1, 64),
		TLS: tlsconf.Settings{
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
		n, ok := httpfields.Number(v)
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

// ReadAuth reads auth_method, which must be one of allowed, and the credentials it needs. Without auth_method
// it is inferred from the credentials that are given, where they leave no doubt. Mistakes are noted in s.
func ReadAuth(s *connectorkit.Settings, allowed ...string) Auth {
	method := s.String("auth_method", "")
	if method == "" {
		method = httpfields.InferMethod(s, allowed)
	} else {
		method = s.OneOf("auth_method", "", allowed...)
	}
	switch method {
	case httpfields.AuthBasic:
		return Basic{Username: s.Required("username"), Password: s.String("password", "")}
	case httpfields.AuthBearer:
		return bearer(s)
	case httpfields.AuthAPIKey, httpfields.AuthAPIKeyHeader, httpfields.AuthAPIKeyQuery:
		name := "X-API-Key"
		if method == httpfields.AuthAPIKeyQuery {
			name = "api_key"
		}
		return APIKey{
			Name: s.String(
				"api_key_name",
				name,
			),
			Key:     s.Required("api_key"),
			InQuery: method == httpfields.AuthAPIKeyQuery,
		}
	case httpfields.AuthClientCredentials:
		return ClientCredentials{
			TokenURL: s.Required("token_url"), ClientID: s.Required("client_id"),
			ClientSecret: s.Required("client_secret"),
			Scope:        s.String("scope", ""), Audience: s.String("audience", ""), Resource: s.String("resource", ""),
			InBody: s.OneOf(
				"token_auth_style", "client_secret_basic", "client_secret_basic", "client_secret_post",
			) == "client_secret_post",
			Extra: texts(s, "token_extra_params"),
		}
	}
	if method == httpfields.AuthJWTBearer {
		return readAssertion(s)
	}
	return None{}
}

func readAssertion(s *connectorkit.Settings) Auth {
	a := &assertion.Assertion{
		Issuer: s.Required("jwt_issuer"), Subject: s.String("jwt_subject", ""), Audience: s.String("audience", ""),
		Key: s.Required("jwt_private_key"), KeyID: s.String("jwt_key_id", ""),
	}
	if _, _, err := assertion.ParseKey(a.Key); err != nil && a.Key != "" {
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
