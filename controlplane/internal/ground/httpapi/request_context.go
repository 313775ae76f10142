package httpapi

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// RequestID is the id given to the request that ctx belongs to.
func RequestID(ctx context.Context) string { return incoming.Of(ctx).ID }

// BearerOf is the token a request carried, for routes that look at it themselves; empty without one.
func BearerOf(ctx context.Context) string { return incoming.Of(ctx).Bearer }

// AddressOf is the network address a request came from, without a port.
func AddressOf(ctx context.Context) string { return incoming.Of(ctx).Address }

// TraceOf is the trace that the request belongs to: the caller's, or one of its own.
func TraceOf(ctx context.Context) incoming.Trace { return incoming.Of(ctx).Trace }

// ViewerOf is the authenticated viewer of a request, for handlers that are mounted plainly.
func ViewerOf(ctx context.Context) viewer.Viewer { return incoming.Of(ctx).Viewer }

// outlast marks the request as a stream, which would otherwise hold a place in flight for as long as the client
// listens.
func outlast(ctx context.Context) {
	if leave := incoming.Of(ctx).Leave; leave != nil {
		leave()
	}
}
