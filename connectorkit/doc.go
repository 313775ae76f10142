// Package connectorkit is how a connector is made. A connector reads one kind of target system and hands what it reads,
// page by page, to whoever called. The same connector runs in the control plane (hosted mode) and in an agent on a
// customer's site; what differs is only the Env that is lent to it.
package connectorkit
