// Package connectorkit is the kit for connectors. A connector reads one kind of target system and emits its records
// page by page. The same connector runs in the control plane (hosted mode) and in an agent in a customer's network.
// Only the Env differs.
package connectorkit
