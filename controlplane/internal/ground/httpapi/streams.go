package httpapi

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
)

// recheckEvery is how often the token of an open stream is verified again. With the few seconds for which a verified
// token is remembered, a stream ends within five seconds of its token's end.
const recheckEvery = 2 * time.Second

var errTokenEnded = errors.New("the token of the stream has ended, or its rights have changed")

// whileValid gives a context that ends with the token of the request, or when the rights behind it change.
func whileValid(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := incoming.Of(ctx)
	if p.Verify != nil {
		go func() {
			tick := time.NewTicker(recheckEvery)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				now, err := p.Verify(ctx)
				if err != nil || now.Tenant != p.Viewer.Tenant || !slices.Equal(now.Roles, p.Viewer.Roles) {
					cancel(errTokenEnded)
					return
				}
			}
		}()
	}
	return ctx, func() { cancel(nil) }
}
