package httpfields

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
)

// Number reads a number of JSON or of Go.
func Number(v any) (float64, bool) {
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

// InferMethod finds the one method whose credentials are given.
func InferMethod(s *connectorkit.Settings, allowed []string) string {
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
