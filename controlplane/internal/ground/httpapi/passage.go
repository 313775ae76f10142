package httpapi

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// passage is what is learned of a request on its way in. There is one for each request, which the stages fill.
type passage struct {
	requestID string
	clientID  string // what the client calls the request
	address   string
	bearer    string
	trace     Trace
	viewer    viewer.Viewer
	keys      []string // the values of Idempotency-Key
	body      []byte
	leave     func() // gives up the place in flight

	verify func(context.Context) (viewer.Viewer, error) // verifies the token again
}

type passageKey struct{}

var noPassage passage

func passageOf(ctx context.Context) *passage {
	if p, ok := ctx.Value(passageKey{}).(*passage); ok {
		return p
	}
	none := noPassage
	return &none
}

// RequestID is the id given to the request that ctx belongs to.
func RequestID(ctx context.Context) string { return passageOf(ctx).requestID }

// BearerOf is the token a request carried, for routes that look at it themselves; empty without one.
func BearerOf(ctx context.Context) string { return passageOf(ctx).bearer }

// AddressOf is the network address a request came from, without a port.
func AddressOf(ctx context.Context) string { return passageOf(ctx).address }

// TraceOf is the trace that the request belongs to: the caller's, or one of its own.
func TraceOf(ctx context.Context) Trace { return passageOf(ctx).trace }

// ViewerOf is the authenticated viewer of a request, for handlers that are mounted plainly.
func ViewerOf(ctx context.Context) viewer.Viewer { return passageOf(ctx).viewer }

// outlast says that the request is a stream, which would otherwise hold a place in flight for as long as somebody
// listens.
func outlast(ctx context.Context) {
	if leave := passageOf(ctx).leave; leave != nil {
		leave()
	}
}
