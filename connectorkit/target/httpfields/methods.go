package httpfields

// Defaults that the settings show.
const (
	DefaultConcurrency = 4
	DefaultUserAgent   = "grantwright-connector/1"
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
