// Package v1 is version 1 of the connector protocol.
package v1
