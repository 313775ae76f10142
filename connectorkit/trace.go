package connectorkit

import "context"

type traceKey struct{}

// WithTrace says to which trace the calls under ctx belong, in the form of the traceparent header (W3C Trace Context).
func WithTrace(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, traceparent)
}

// TraceOf is the traceparent that WithTrace has put into ctx, or nothing.
func TraceOf(ctx context.Context) string {
	trace, _ := ctx.Value(traceKey{}).(string)
	return trace
}
