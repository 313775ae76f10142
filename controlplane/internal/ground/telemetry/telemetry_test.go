package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

type idKey struct{}

func whose(ctx context.Context) Names {
	id, _ := ctx.Value(idKey{}).(string)
	return Names{Request: id}
}

func newLog(t *testing.T, format string) (*slog.Logger, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	log, err := NewLog(&out, slog.LevelDebug, format, whose)
	if err != nil {
		t.Fatal(err)
	}
	return log, &out
}

// served is a small API behind an observer.
func served(t *testing.T, o *Observer) http.Handler {
	t.Helper()
	r := chi.NewRouter()
	r.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", "req-1")
			if r.Header.Get("Authorization") == "" && strings.HasPrefix(r.URL.Path, "/people") {
				w.WriteHeader(401)
				return
			}
			NoteTenant(r.Context(), "t-1")
			next.ServeHTTP(w, r)
		})
	})
	r.Get("/people/{id}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Idempotent-Replayed", "true")
		_, _ = io.WriteString(w, "hello")
	})
	r.Get("/limited", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(429) })
	r.Get("/broken", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })
	r.Get("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.WriteHeader(200)
	})
	r.Get("/panics", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	o.Routes = r
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics("test")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o.Around(r)
}

func ask(h http.Handler, path string, headers ...string) {
	r := httptest.NewRequest("GET", path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	defer func() { _ = recover() }()
	h.ServeHTTP(httptest.NewRecorder(), r)
}

func scrape(m *Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func TestRequestsAreCountedByTheirRouteAndNotByTheirPath(t *testing.T) {
	o := &Observer{}
	h := served(t, o)
	ask(h, "/people/7", "Authorization", "x")
	ask(h, "/people/8", "Authorization", "x")
	ask(h, "/people/9")
	ask(h, "/limited")
	ask(h, "/broken")
	ask(h, "/events")
	ask(h, "/panics")
	ask(h, "/nothing/at/all?token=secret")
	got := scrape(o.Metrics)
	for _, want := range []string{
		`grantwright_http_requests_total{method="GET",route="/people/{id}",status="200"} 2`,
		`grantwright_http_requests_total{method="GET",route="/people/{id}",status="401"} 1`,
		`grantwright_http_requests_total{method="GET",route="unmatched",status="404"} 1`,
		`grantwright_http_request_duration_seconds_count{method="GET",route="/people/{id}"} 3`,
		`grantwright_http_replayed_total 2`, `grantwright_http_rate_limited_total 1`,
		`grantwright_http_unavailable_total 1`,
		`grantwright_http_requests_in_flight 0`, `grantwright_build_info{version="test"} 1`, "go_goroutines",
		"process_open_fds",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	for _, wrong := range []string{"/people/7", "/nothing", "secret", "t-1",
		`duration_seconds_count{method="GET",route="/events"}`} {
		if strings.Contains(got, wrong) {
			t.Errorf("metrics hold %s", wrong)
		}
	}
}

func TestOneLineTellsOfARequestAndHoldsNoQuery(t *testing.T) {
	log, out := newLog(t, "json")
	h := served(t, &Observer{Log: log})
	ask(h, "/people/7?access_token=CANARY&q=CANARY", "Authorization", "Bearer CANARY")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	delete(line, "time")
	delete(line, "took_ms")
	want := map[string]any{
		"level":      "DEBUG",
		"msg":        "request",
		"method":     "GET",
		"route":      "/people/{id}",
		"status":     200.0,
		"bytes":      5.0,
		"request_id": "req-1",
		"tenant":     "t-1",
	}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Errorf("access line (-want +got):\n%s", diff)
	}
	if strings.Contains(out.String(), "CANARY") {
		t.Errorf("the log holds what was in the query or the header: %s", out)
	}
}

func TestRequestsThatFailOrAreSlowAreToldAtInfo(t *testing.T) {
	for path, want := range map[string]string{"/broken": "INFO", "/limited": "DEBUG", "/people/slow": "INFO",
		"/events": "DEBUG"} {
		log, out := newLog(t, "json")
		clock := time.Now()
		o := &Observer{Log: log, Now: func() time.Time {
			clock = clock.Add(
				map[bool]time.Duration{true: 2 * time.Second}[path == "/people/slow" || path == "/events"],
			)
			return clock
		}}
		ask(served(t, o), path, "Authorization", "x")
		if !strings.Contains(out.String(), `"level":"`+want+`"`) {
			t.Errorf("%s: %s; want %s", path, out, want)
		}
	}
}

func TestWhoeverLeavesBeforeTheAnswerIsNoFaultOfOurs(t *testing.T) {
	o := &Observer{Metrics: NewMetrics("test")}
	h := served(t, o)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/broken", nil).WithContext(ctx))
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/limited", nil).WithContext(ctx))
	seen := scrape(o.Metrics)
	for _, want := range []string{`route="/broken",status="499"} 1`, `route="/limited",status="429"} 1`} {
		if !strings.Contains(seen, want) {
			t.Errorf("%s is not among the metrics:\n%s", want, seen)
		}
	}
}

func TestALineStaysALineWhateverStandsInIt(t *testing.T) {
	evil := "a\r\nlevel=ERROR msg=forged\x1b[2J\x1b]0;x\x07 \u009b31m \u2028 \u202eback \x00"
	for _, format := range []string{"text", "json"} {
		log, out := newLog(t, format)
		ask(served(t, &Observer{Log: log}), "/a%0d%0alevel=ERROR%1b%5b2J%c2%9b31m%e2%80%ae")
		ctx := context.WithValue(context.Background(), idKey{}, evil)
		log.With("bound", evil).
			InfoContext(WithRun(ctx, evil, evil), evil, "key", evil, "err", errors.New(evil), evil, "v",
				slog.Group("g", "in", evil))
		text := out.String()
		if n := strings.Count(text, "\n"); n != 2 {
			t.Errorf("%s: 2 records are %d lines:\n%q", format, n, text)
		}
		for _, r := range []string{"\r", "\x1b", "\x07", "\u009b", "\u2028", "\u202e", "\x00"} {
			if strings.Contains(text, r) {
				t.Errorf("%s: the log holds %q: %q", format, r, text)
			}
		}
	}
}

func TestLinesSayWhoseTheyAreOnce(t *testing.T) {
	log, out := newLog(t, "text")
	ctx := WithRun(context.WithValue(context.Background(), idKey{}, "r1"), "t2", "run1")
	log.InfoContext(ctx, "one")
	log.InfoContext(ctx, "two", "run", "other")
	log.With("request_id", "mine").InfoContext(ctx, "three")
	log.Info("four")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"msg=one request_id=r1 tenant=t2 run=run1",
		"msg=two run=other request_id=r1 tenant=t2", "msg=three request_id=mine tenant=t2 run=run1", "msg=four"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("line %d is %s; want …%s", i, lines[i], want)
		}
	}
}

func TestReadingsAreReadOnceInAWhileAndAbsentWhenTheyFail(t *testing.T) {
	var reads int
	var fails error
	r := &Readings{
		Gauges: []Gauge{
			{Name: "grantwright_runs", Help: "Runs.", Label: "state"},
			{Name: "grantwright_events_total", Help: "Events.", Counter: true},
		},
		Every: time.Hour,
		Log:   slog.New(slog.DiscardHandler),
		Read: func(context.Context) ([]Reading, error) {
			reads++
			return []Reading{{"grantwright_runs", "running", 3}, {"grantwright_events_total", "", 40}}, fails
		},
	}
	m := NewMetrics("test")
	m.Register(r)
	for range 5 {
		got := scrape(m)
		if !strings.Contains(got, `grantwright_runs{state="running"} 3`) ||
			!strings.Contains(got, "# TYPE grantwright_events_total counter\ngrantwright_events_total 40") {
			t.Fatalf("metrics:\n%s", got)
		}
	}
	if reads != 1 {
		t.Errorf("5 scrapes read %d times; want once", reads)
	}
	r.Every, fails = 0, errors.New("no database")
	if got := scrape(m); strings.Contains(got, "grantwright_runs{") ||
		!strings.Contains(got, "grantwright_readings_failed_total 1") {
		t.Errorf("metrics while the database is away:\n%s", got)
	}
}

func traced(t *testing.T, ratio float64) (*Traces, *tracetest.InMemoryExporter) {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	return newTraces(sdktrace.NewSimpleSpanProcessor(spans), ratio, "test"), spans
}

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestARequestIsASpanThatLinksToItsCallers(t *testing.T) {
	traces, spans := traced(t, 1)
	log, out := newLog(t, "text")
	ask(served(t, &Observer{Traces: traces, Log: log}), "/people/7", "Authorization", "x", "Traceparent", parent)
	got := spans.GetSpans()
	if len(got) != 1 || got[0].Name != "GET /people/{id}" || len(got[0].Links) != 1 ||
		got[0].Links[0].SpanContext.TraceID().String() != parent[3:35] {
		t.Fatalf("spans = %+v", got)
	}
	if got[0].Parent.IsValid() || got[0].SpanContext.TraceID() == got[0].Links[0].SpanContext.TraceID() {
		t.Error("the caller's trace was continued: its sampling would be ours to pay")
	}
	if want := "trace_id=" + got[0].SpanContext.TraceID().String(); !strings.Contains(out.String(), want) {
		t.Errorf("the log lacks %s: %s", want, out)
	}
}

func TestATraceparentThatIsNoneIsNotLinkedTo(t *testing.T) {
	for name, values := range map[string][]string{
		"twice":      {parent, parent},
		"zero trace": {"00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
		"zero span":  {"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"},
		"version ff": {"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
		"trailing":   {parent + "-what"},
		"upper case": {strings.ToUpper(parent)},
		"short":      {parent[:40]},
		"words":      {"; drop table"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["Traceparent"] = values
		if callersSpan(r).IsValid() {
			t.Errorf("%s: %v was taken for a trace", name, values)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Traceparent", "cc"+parent[2:]+"-of-a-later-version")
	if !callersSpan(r).IsValid() {
		t.Error("a later version's suffix made the trace unreadable")
	}
}

func TestWhoeverIsCalledCanJoinTheSpan(t *testing.T) {
	traces, spans := traced(t, 1)
	inside := ""
	_ = traces.Within(context.Background(), "request", func(ctx context.Context) error {
		inside = Traceparent(ctx)
		return nil
	})
	span := spans.GetSpans()[0].SpanContext
	if want := "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-01"; inside != want {
		t.Errorf("traceparent %q; want %q", inside, want)
	}
	if got := Traceparent(context.Background()); got != "" {
		t.Errorf("outside of a span there is %q", got)
	}
}

func TestWhoeverAsksToBeSampledIsNotHeard(t *testing.T) {
	traces, spans := traced(t, 0)
	ask(served(t, &Observer{Traces: traces}), "/people/7", "Authorization", "x", "Traceparent", parent)
	if got := spans.GetSpans(); len(got) != 0 {
		t.Errorf("%d spans though none is sampled", len(got))
	}
}

func TestStatementsAreSpansOfTheirRequestWithoutTheirTexts(t *testing.T) {
	traces, spans := traced(t, 1)
	_ = traces.Within(context.Background(), "request", func(ctx context.Context) error {
		in := traces.Queries().
			TraceQueryStart(ctx, nil, pgx.TraceQueryStartData{SQL: "\n\tselect CANARY from t where a = $1",
				Args: []any{"CANARY"}})
		traces.Queries().TraceQueryEnd(in, nil, pgx.TraceQueryEndData{Err: errors.New("CANARY")})
		return nil
	})
	alone := traces.Queries().TraceQueryStart(context.Background(), nil, pgx.TraceQueryStartData{SQL: "select 1"})
	traces.Queries().TraceQueryEnd(alone, nil, pgx.TraceQueryEndData{})
	got := spans.GetSpans()
	if len(got) != 2 || got[0].Name != "postgresql select" || got[0].Parent.SpanID() != got[1].SpanContext.SpanID() {
		t.Fatalf("spans = %+v", got)
	}
	if text, err := json.Marshal(got); err != nil || strings.Contains(string(text), "CANARY") {
		t.Errorf("a span holds a text or a value: %s, %v", text, err)
	}
}

func TestWithoutTracesEverythingIsDoneAllTheSame(t *testing.T) {
	var none *Traces
	done := false
	if err := none.Within(
		context.Background(),
		"x",
		func(context.Context) error { done = true; return nil },
	); err != nil ||
		!done {
		t.Errorf("Within = %v, done %v", err, done)
	}
	if none.Queries() != nil {
		t.Error("statements are traced though there are no traces")
	}
}
