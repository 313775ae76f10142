// Package tlsconf makes the TLS configuration of a target from its settings: authorities, expected name and client
// certificate. Verification can be skipped only where the environment allows it.
//
//	conf, warnings, err := tlsconf.Settings{CAPEM: pem}.Config(env, "example.com")
package tlsconf
