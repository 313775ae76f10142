// Package outbound makes connections to addresses that tenants configure: hosted targets, token endpoints, callbacks
// and webhooks. It refuses addresses of the deployment's own network. The resolved IP address is checked at the time of
// the connection, so that neither a host name nor a later answer of the name server can lead there. Operators open
// ranges in the configuration; tenants cannot.
package outbound
