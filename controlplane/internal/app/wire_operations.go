package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/admission"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// readEvery is how often scrapes may ask the database.
const readEvery = 10 * time.Second

// addOperations adds what operators look at. It comes last: it stands around what the other features have made of the
// API.
func addOperations(_ context.Context, p *parts) error {
	p.metrics.Register(poolMetrics(p.db)...)
	p.metrics.Register(connectionMetrics(p.connections)...)
	p.metrics.Register(
		&telemetry.Readings{
			Gauges: gauges(),
			Every:  readEvery,
			Log:    p.log,
			Read: func(ctx context.Context) ([]telemetry.Reading, error) {
				return readGauges(ctx, p.db)
			},
		},
	)
	p.api.User, p.api.Agent = noting(p.api.User), noting(p.api.Agent)
	return nil
}

// noting notes the tenant and caller in the request's log line.
func noting(authenticate httpapi.Authenticate) httpapi.Authenticate {
	return func(ctx context.Context, bearer string, r *http.Request) (viewer.Viewer, error) {
		v, err := authenticate(ctx, bearer, r)
		if err == nil {
			telemetry.NoteTenant(ctx, v.Tenant)
		}
		return v, err
	}
}

// Log is the log of a program of the control plane; level is debug, info, warn or error, format text or json.
func Log(c config.Config, out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return nil, fmt.Errorf("log-level is debug, info, warn or error, not %q", c.LogLevel)
	}
	return telemetry.NewLog(out, level, c.LogFormat, func(ctx context.Context) telemetry.Names {
		return telemetry.Names{
			Request: httpapi.RequestID(ctx),
			Tenant:  httpapi.ViewerOf(ctx).Tenant,
			Trace:   httpapi.TraceOf(ctx).ID,
		}
	})
}

// OpenTraces begins to send spans where the configuration says; without an endpoint it makes nothing, and costs
// nothing.
func OpenTraces(ctx context.Context, c *config.Config, version string) error {
	if c.OTelEndpoint == "" {
		return nil
	}
	traces, err := telemetry.OpenTraces(ctx, c.OTelEndpoint, c.OTelRatio, version)
	c.Traces = traces
	return err
}

// gauge is a number in the database, with how to read it: rows of label and value, over all tenants.
type gauge struct {
	telemetry.Gauge
	sql string
}

var inDatabase = []gauge{
	{telemetry.Gauge{Name: "grantwright_sync_runs", Help: "Sync runs that are not over, by state.", Label: "state"}, `
		select status, count(*)::float8
		  from sync_run
		 where status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying', 'held')
		 group by status`},
	{telemetry.Gauge{Name: "grantwright_agents_online", Help: "Agents with a socket to any process."}, `
		select '', count(*)::float8
		  from agent_session
		 where last_seen_at > now() - interval '90 seconds'`},
	{telemetry.Gauge{Name: "grantwright_webhook_backlog", Help: "Deliveries of webhooks that are to be made."}, `
		select '', count(*)::float8
		  from webhook_delivery
		 where state = 'pending'`},
	{
		telemetry.Gauge{
			Name: "grantwright_webhook_oldest_overdue_seconds",
			Help: "How long the delivery that is due for longest has been due.",
		},
		`
		select '', coalesce(extract(epoch from now() - min(due_at)), 0)::float8
		  from webhook_delivery
		 where state = 'pending'
		   and due_at < now()`,
	},
	{telemetry.Gauge{Name: "grantwright_audit_events_total", Help: "Entries of all audit logs.", Counter: true}, `
		select '', coalesce(sum(seq), 0)::float8
		  from audit_head`},
	{telemetry.Gauge{Name: "grantwright_work_items", Help: "Work items that wait, by kind.", Label: "kind"}, `
		select kind, count(*)::float8
		  from work_item
		 where state = 'waiting'
		 group by kind`},
	{telemetry.Gauge{
		Name:  "grantwright_work_oldest_due_seconds",
		Help:  "Age of the work item that is due for longest, by kind.",
		Label: "kind",
	}, `
		select kind, extract(epoch from now() - min(due_at))::float8
		  from work_item
		 where state = 'waiting'
		   and due_at <= now()
		 group by kind`},
	{telemetry.Gauge{
		Name:  "grantwright_work_dead_letters",
		Help:  "Work items that failed for the last time, by kind.",
		Label: "kind",
	}, `
		select kind, count(*)::float8
		  from work_item
		 where state = 'dead'
		 group by kind`},
	{telemetry.Gauge{Name: "grantwright_tenants", Help: "Tenants, by state.", Label: "state"}, `
		select status, count(*)::float8
		  from tenant
		 group by status`},
}

func gauges() []telemetry.Gauge {
	out := make([]telemetry.Gauge, len(inDatabase))
	for i, g := range inDatabase {
		out[i] = g.Gauge
	}
	return out
}

func readGauges(ctx context.Context, db *pg.DB) (out []telemetry.Reading, err error) {
	err = db.Across(ctx, func(tx *pg.Tx) error {
		out = nil
		for _, g := range inDatabase {
			rows, err := tx.Query(ctx, g.sql)
			if err != nil {
				return err
			}
			r := telemetry.Reading{Gauge: g.Name}
			_, err = pgx.ForEachRow(rows, []any{&r.Label, &r.Value}, func() error {
				out = append(out, r)
				return nil
			})
			if err != nil {
				return fmt.Errorf("%s: %w", g.Name, err)
			}
		}
		return nil
	})
	return out, err
}

// workMetrics count what this process does on the work queue.
func workMetrics(metrics *telemetry.Metrics) func(kind string, took time.Duration, done int, err error) {
	label := []string{"kind"}
	counter := func(name, help string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, label)
	}
	items := counter("grantwright_work_done_total", "Work items that were done, by kind.")
	failures := counter("grantwright_work_failures_total", "Passes over work that failed, by kind.")
	seconds := counter("grantwright_work_seconds_total", "Time spent on work, by kind.")
	metrics.Register(items, failures, seconds)
	return func(kind string, took time.Duration, done int, err error) {
		items.WithLabelValues(kind).Add(float64(done))
		seconds.WithLabelValues(kind).Add(took.Seconds())
		if err != nil {
			failures.WithLabelValues(kind).Inc()
		}
	}
}

// poolMetrics are the connections of this process.
func poolMetrics(db *pg.DB) []prometheus.Collector {
	number := func(name, help string, read func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	count := func(name, help string, read func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
	}
	pool := db.Pool()
	return []prometheus.Collector{
		number(
			"grantwright_db_connections_max",
			"Connections to the database that there may be.",
			func() float64 { return float64(pool.Stat().MaxConns()) },
		),
		number(
			"grantwright_db_connections",
			"Connections that there are.",
			func() float64 { return float64(pool.Stat().TotalConns()) },
		),
		number(
			"grantwright_db_connections_in_use",
			"Connections with a transaction on them.",
			func() float64 { return float64(pool.Stat().AcquiredConns()) },
		),
		count(
			"grantwright_db_waits_total",
			"Transactions that had to wait for a connection.",
			func() float64 { return float64(pool.Stat().EmptyAcquireCount()) },
		),
		count(
			"grantwright_db_wait_seconds_total",
			"How long they waited, all together.",
			func() float64 { return pool.Stat().EmptyAcquireWaitTime().Seconds() },
		),
	}
}

// connections bounds the connections to the API. Behind a proxy all of them come from its address.
func connections(c config.Config) *admission.Connections {
	bounds := &admission.Connections{Most: c.MaxConnections, FromOne: c.MaxConnectionsPerAddr}
	if c.BehindTLSProxy {
		bounds.FromOne = 0
	}
	return bounds
}

// connectionMetrics are the connections to the API.
func connectionMetrics(c *admission.Connections) []prometheus.Collector {
	refused := func(limit string, read func() int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "grantwright_connections_refused_total", Help: "Connections that were closed at once, by the limit.",
			ConstLabels: prometheus.Labels{"limit": limit},
		}, func() float64 { return float64(read()) })
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: "grantwright_connections", Help: "Connections to the API that are open."},
			func() float64 { return float64(c.Open()) },
		),
		refused("total", func() int64 { all, _ := c.Refused(); return all }),
		refused("address", func() int64 { _, from := c.Refused(); return from }),
	}
}
