package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces sends spans of this process to a collector, by OTLP over HTTP.
type Traces struct {
	trace.Tracer
	provider *sdktrace.TracerProvider
}

// OpenTraces begins to send to a collector such as http://127.0.0.1:4318. ratio is the part of all requests that is
// traced, 0 to 1: what callers say about sampling counts for nothing, since it is we who pay. A collector that does not
// answer loses spans, and nothing else. Headers for the collector come from OTEL_EXPORTER_OTLP_HEADERS.
func OpenTraces(ctx context.Context, endpoint string, ratio float64, version string) (*Traces, error) {
	exporter, err := otlptracehttp.New(
		ctx,
		otlptracehttp.WithEndpointURL(strings.TrimRight(endpoint, "/")+"/v1/traces"),
	)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	return newTraces(sdktrace.NewBatchSpanProcessor(exporter), ratio, version), nil
}

// newTraces makes a tracer that samples a part of the traces that begin here, and follows the
// decision of whoever began one elsewhere. service.name is what collectors sort by.
func newTraces(processor sdktrace.SpanProcessor, ratio float64, version string) *Traces {
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(processor),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(ratio))),
		sdktrace.WithResource(
			resource.NewSchemaless(
				attribute.String("service.name", "grantwright"),
				attribute.String("service.version", version),
			),
		),
	)
	return &Traces{Tracer: provider.Tracer("grantwright"), provider: provider}
}

// Close sends what is left, for at most two seconds. What a collector did not take then is lost, which fails nothing.
func (t *Traces) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = t.provider.Shutdown(ctx)
}

// start begins a request's span. The caller's own trace is linked to and not continued: whether ours is sampled, and
// what its id is, is not for strangers to say.
func (o *Observer) start(ctx context.Context, r *http.Request) (context.Context, trace.Span) {
	if o.Traces == nil {
		return ctx, nil
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithNewRoot()}
	if from := callersSpan(r); from.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: from}))
	}
	return o.Traces.Start(ctx, r.Method, options...)
}

// callersSpan reads traceparent (W3C Trace Context). What is malformed, or there twice, is as if it were not there.
func callersSpan(r *http.Request) trace.SpanContext {
	if len(r.Header.Values("Traceparent")) != 1 {
		return trace.SpanContext{}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
	return trace.SpanContextFromContext(ctx)
}

// end names the span of a request by its route, which is only known now, and ends it. Only errors
// of this side make it an error: 4xx are the caller's, by the conventions of OpenTelemetry for
// servers.
func (o *Observer) end(span trace.Span, a answer) {
	if span == nil {
		return
	}
	span.SetName(a.method + " " + a.route)
	span.SetAttributes(
		attribute.String("http.route", a.route),
		attribute.String("http.request.method", a.method),
		attribute.Int("http.response.status_code", a.status),
	)
	if a.status >= 500 {
		span.SetStatus(codes.Error, http.StatusText(a.status))
	}
	span.End()
}

// Within runs do in a span, when ctx is already in one.
func (t *Traces) Within(ctx context.Context, name string, do func(context.Context) error) error {
	if t == nil {
		return do(ctx)
	}
	ctx, span := t.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	err := do(ctx)
	failed(span, err)
	return err
}

// Traceparent is the header by which the called service joins the span that ctx is in; empty outside of one.
func Traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier.Get("traceparent")
}

// failed marks a span. The error itself is not in it: it may quote what a target said.
func failed(span trace.Span, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		span.SetStatus(codes.Error, "failed")
	}
}

// Queries traces statements, as pgx wants it: those that belong to a request that is traced, by their first word.
// Neither texts nor values leave the process.
func (t *Traces) Queries() pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return queries{t}
}

// queries makes a span of each statement that is sent within a recorded trace, as pgx's tracer.
type queries struct{ traces *Traces }

// TraceQueryStart begins a statement's span.
func (q queries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	ctx, _ = q.traces.Start(
		ctx,
		"postgresql "+firstWord(data.SQL),
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql")),
	)
	return context.WithValue(ctx, ownSpan{}, true)
}

type ownSpan struct{}

// TraceQueryEnd ends it.
func (q queries) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	if ctx.Value(ownSpan{}) == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	failed(span, data.Err)
	span.End()
}

// firstWord of a statement: select, insert, begin and so on.
func firstWord(sql string) string {
	words := strings.FieldsFunc(sql, func(r rune) bool { return r < 'A' || r > 'z' })
	if len(words) == 0 {
		return "statement"
	}
	return strings.ToLower(words[0])
}
