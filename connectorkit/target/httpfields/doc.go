// Package httpfields describes the settings that all HTTP connectors share: authentication, TLS, timeouts and rate
// limits. It needs no HTTP client, so the catalog can show settings without importing one. Package target reads the
// same settings.
//
//	fields := append(httpfields.AuthFields(httpfields.AuthBearer, httpfields.AuthBasic), httpfields.CommonFields()...)
package httpfields
