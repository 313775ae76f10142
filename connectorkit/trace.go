package connectorkit

import "context"

type traceKey struct{}

// WithTrace sets the trace of the calls under ctx, in the form of the traceparent header (W3C Trace Context).
func WithTrace(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, traceparent)
}

// TraceOf returns the traceparent that WithTrace set in ctx, or an empty string.
func TraceOf(ctx context.Context) string {
	trace, _ := ctx.Value(traceKey{}).(string)
	return trace
}
