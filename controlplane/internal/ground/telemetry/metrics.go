package telemetry

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are what one process counts. All names begin with grantwright_, but for those of Go and of the process.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	limited  prometheus.Counter
	replayed prometheus.Counter
	// shed counts answers with status 503, and limited those with 429.
	shed prometheus.Counter
}

// NewMetrics makes metrics of a process of this version.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "grantwright_http_requests_total",
			Help: "Requests answered, by route template, method and status.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "grantwright_http_request_duration_seconds",
			Help: "Time until a request was answered, but for streams.",
			Buckets: []float64{
				.001,
				.0025,
				.005,
				.01,
				.025,
				.05,
				.1,
				.25,
				.5,
				1,
				2.5,
				5,
				15,
				60,
			},
		}, []string{"route", "method"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "grantwright_http_requests_in_flight",
			Help: "Requests being answered, streams and agents' sockets among them.",
		}),
		limited: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "grantwright_http_rate_limited_total", Help: "Requests answered 429."}),
		replayed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "grantwright_http_replayed_total",
			Help: "Requests answered with what the same Idempotency-Key had been answered before.",
		}),
		shed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "grantwright_http_unavailable_total",
			Help: "Requests answered 503, because of overload or because the database did not answer.",
		}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "grantwright_build_info",
		Help:        "Always 1; the version is a label.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.Register(m.requests, m.duration, m.inFlight, m.limited, m.replayed, m.shed, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Register adds collectors. Two of one name are a mistake in the program, and end it.
func (m *Metrics) Register(all ...prometheus.Collector) { m.registry.MustRegister(all...) }

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(
		m.registry,
		promhttp.HandlerOpts{
			ErrorHandling:       promhttp.ContinueOnError,
			MaxRequestsInFlight: 4,
			Timeout:             10 * time.Second,
		},
	)
}

// answered counts one request.
func (m *Metrics) answered(route, method, status string, took time.Duration, stream bool) {
	m.requests.WithLabelValues(route, method, status).Inc()
	if !stream {
		m.duration.WithLabelValues(route, method).Observe(took.Seconds())
	}
	switch status {
	case "429":
		m.limited.Inc()
	case "503":
		m.shed.Inc()
	}
}
