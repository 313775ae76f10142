package tryout

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Call is one connection to be tried out: a connector's, or one that is not saved yet.
type Call struct {
	SavedID    string // empty when not saved
	Purpose    string // of a saved one: source, target or both
	BusinessID string
	Target     dispatch.Target
	Connection map[string]any // the settings as the user wrote them
	Auth       v1.AuthConfig
	Scrub      *connectorkit.Scrubber
}

// grace is how long a connector may take to notice that its time is over.
const grace = 500 * time.Millisecond

// within runs fn for at most limit and then goes on without it: no connector holds a request longer. A panic in it is
// an error, for it would otherwise end the process.
func within[T any](
	ctx context.Context,
	limit time.Duration,
	scrub *connectorkit.Scrubber,
	fn func(ctx context.Context) (T, error),
) (T, error) {
	type outcome struct {
		answer T
		err    error
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if cause := recover(); cause != nil {
				o.err = fmt.Errorf("the connector panicked: %s\n%s", scrub.Clean(fmt.Sprint(cause)), debug.Stack())
			}
			done <- o
		}()
		o.answer, o.err = fn(ctx)
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.answer, o.err
	case <-time.After(grace):
		return *new(T), ctx.Err()
	}
}
