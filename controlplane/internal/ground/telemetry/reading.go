package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Gauge describes one number that is read from elsewhere, such as the database, at each scrape.
type Gauge struct {
	Name, Help string
	Label      string // name of its one label; empty: none
	Counter    bool   // it only grows
}

// Reading is one value of a gauge.
type Reading struct {
	Gauge string // its name
	Label string // value of its label
	Value float64
}

// Readings are gauges that are read together, and not more often than Every: scraping costs the database the same,
// however many scrape. When reading fails the gauges are absent, and grantwright_readings_failed_total counts.
type Readings struct {
	Gauges []Gauge
	Read   func(ctx context.Context) ([]Reading, error)
	Every  time.Duration
	Log    *slog.Logger

	mu     sync.Mutex
	last   time.Time
	values []Reading
	failed float64
}

// patience is how long a scrape waits for the readings.
const patience = 5 * time.Second

var failedDesc = prometheus.NewDesc(
	"grantwright_readings_failed_total",
	"How often the numbers in the database could not be read.",
	nil,
	nil,
)

// Describe sends the descriptions of all metrics.
func (r *Readings) Describe(out chan<- *prometheus.Desc) {
	out <- failedDesc
	for _, g := range r.Gauges {
		out <- g.desc()
	}
}

// Collect reads when it is time, and gives what there is.
func (r *Readings) Collect(out chan<- prometheus.Metric) {
	values, failed := r.current()
	out <- prometheus.MustNewConstMetric(failedDesc, prometheus.CounterValue, failed)
	gauges := map[string]Gauge{}
	for _, g := range r.Gauges {
		gauges[g.Name] = g
	}
	for _, v := range values {
		g := gauges[v.Gauge]
		typ, labels := prometheus.GaugeValue, []string{}
		if g.Counter {
			typ = prometheus.CounterValue
		}
		if g.Label != "" {
			labels = append(labels, v.Label)
		}
		out <- prometheus.MustNewConstMetric(g.desc(), typ, v.Value, labels...)
	}
}

// desc describes the gauge to Prometheus. Whether it has a label is fixed, which the values may not
// change later.
func (g Gauge) desc() *prometheus.Desc {
	var labels []string
	if g.Label != "" {
		labels = append(labels, g.Label)
	}
	return prometheus.NewDesc(g.Name, g.Help, labels, nil)
}

// current reads anew when the last values are older than Every, and gives the last ones otherwise.
// mu is held meanwhile: of several scrapes at once one reads, and the others wait for it. It has
// its own limit of time instead of the scraper's, whose context Prometheus does not hand on.
func (r *Readings) current() ([]Reading, float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.last) < r.Every {
		return r.values, r.failed
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	values, err := r.Read(ctx)
	if err != nil {
		r.failed++
		values = nil
		r.Log.Debug("cannot read the numbers for metrics", "err", err)
	}
	r.last, r.values = time.Now(), values
	return r.values, r.failed
}
