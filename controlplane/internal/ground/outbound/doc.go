// Package outbound speaks to addresses that tenants chose: hosted targets, token endpoints, callbacks. It refuses the
// deployment's own network: an address is judged when it is dialled, as the number it resolved to, so that neither a
// name nor a second answer of the name server leads anywhere else. Operators open ranges in the configuration, never
// tenants.
package outbound
