// Package tracing puts a span of OpenTelemetry around each call of a connector that runs in the control plane.
package tracing
