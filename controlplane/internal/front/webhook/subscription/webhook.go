package subscription

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/filter"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/health"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// States of a webhook.
const (
	Enabled      = "enabled"
	Disabled     = "disabled"
	DisabledAuto = "disabled_auto"
)

// Webhook is an address that is told of events.
type Webhook struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	URL        string       `json:"url"`
	Enabled    bool         `json:"enabled"`
	APIVersion string       `json:"api_version" enum:"v1"`
	Events     []event.Kind `json:"events" nullable:"false"`
	// null: every event of the kinds.
	Filter *filter.Filter `json:"filter"`
	// Headers that are sent along. Their values are never shown.
	HeaderNames []string `json:"header_names" nullable:"false"`
	// Deliveries that begin in a second, at most; null: as many as the endpoint takes, four at a time.
	MaxRPS *int `json:"max_rps"`
	// A delivery waits until those before it about the same resource have ended, not only been tried.
	OrderedPerSubject bool     `json:"ordered_per_subject"`
	Format            string   `json:"format" enum:"standard,cloudevents"`
	Secrets           []Secret `json:"secrets" nullable:"false"`
	Health            Health   `json:"health"`
	// Users who answer for it.
	OwnerIDs  []string  `json:"owner_ids" nullable:"false"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Version   int       `json:"version"`
}

// Secret is what deliveries are signed with, without its value.
type Secret struct {
	ID        string    `json:"id" db:"id"`
	State     string    `json:"state" db:"state" enum:"active,retiring"`
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// of a retiring one: it signs beside the active one until then
	ExpiresAt *time.Time `json:"expires_at" db:"expires_at"`
}

// Health tells how an endpoint fares.
type Health struct {
	State string `json:"state" enum:"ok,failing,disabled"`
	// Why it was disabled; empty when it is not.
	Reason string `json:"reason"`
	// service: because it kept failing. It is enabled again after a test that succeeds.
	DisabledBy *string `json:"disabled_by" enum:"administrator,service"`
	// When it was enabled or disabled.
	Since               time.Time  `json:"since"`
	LastSuccessAt       *time.Time `json:"last_success_at"`
	LastFailureAt       *time.Time `json:"last_failure_at"`
	ConsecutiveFailures int        `json:"consecutive_failures"`
	// Deliveries given up since the last success.
	ExhaustedSinceThen int `json:"exhausted_since_success"`
	// While deliveries fail, they are sent one at a time; the next one not before this.
	NextProbeAt *time.Time `json:"next_probe_at"`
}

// Row is a webhook as it is stored.
type Row struct {
	ID          string          `db:"id"`
	Name        string          `db:"name"`
	URL         string          `db:"url"`
	State       string          `db:"state"`
	Reason      string          `db:"state_reason"`
	Events      []string        `db:"events"`
	Filter      json.RawMessage `db:"filter"`
	Sealed      []byte          `db:"headers_sealed"`
	HeaderNames []string        `db:"header_names"`
	MaxRPS      *int            `db:"max_rps"`
	Ordered     bool            `db:"ordered_per_subject"`
	Format      string          `db:"format"`
	Owners      []string        `db:"owner_ids"`
	PingedAt    *time.Time      `db:"pinged_at"`
	ProbeAt     *time.Time      `db:"probe_at"`
	Probes      int             `db:"probes"`
	PacedUntil  *time.Time      `db:"paced_until"`
	CreatedAt   time.Time       `db:"created_at"`
	UpdatedAt   time.Time       `db:"updated_at"`
	Version     int             `db:"version"`
	health.Record
}

// Columns are the columns that Row reads, of the table w.
const Columns = `w.id::text, w.name, w.url, w.state, w.state_reason, w.events, w.filter, w.headers_sealed,
	w.header_names, w.max_rps, w.ordered_per_subject, w.format, w.owner_ids::text[], w.pinged_at, w.probe_at, w.probes,
	w.paced_until, w.created_at, w.updated_at, w.version, w.last_success_at, w.state_changed_at, w.last_failure_at,
	w.consecutive_failures, w.exhausted, w.exhausted_since, w.blocked, w.warned_at`

// ReadFilter is the stored filter, or nil.
func (r Row) ReadFilter() (*filter.Filter, error) {
	if len(r.Filter) == 0 {
		return nil, nil
	}
	var f filter.Filter
	if err := json.Unmarshal(r.Filter, &f); err != nil {
		return nil, fmt.Errorf("read filter of webhook %s: %w", r.ID, err)
	}
	return &f, nil
}

// Shown is the webhook as the API shows it.
func (r Row) Shown(secrets []Secret, now time.Time) (Webhook, error) {
	f, err := r.ReadFilter()
	if err != nil {
		return Webhook{}, err
	}
	w := Webhook{
		ID:                r.ID,
		Name:              r.Name,
		URL:               r.URL,
		Enabled:           r.State == Enabled,
		APIVersion:        "v1",
		Filter:            f,
		HeaderNames:       r.HeaderNames,
		MaxRPS:            r.MaxRPS,
		OrderedPerSubject: r.Ordered,
		Format:            r.Format,
		Secrets:           secrets,
		Health:            r.health(now),
		OwnerIDs:          r.Owners,
		CreatedAt:         r.CreatedAt,
		UpdatedAt:         r.UpdatedAt,
		Version:           r.Version,
	}
	for _, e := range r.Events {
		w.Events = append(w.Events, event.Kind(e))
	}
	return w, nil
}

func (r Row) health(now time.Time) Health {
	h := Health{
		State:               "ok",
		Reason:              r.Reason,
		Since:               r.Since,
		LastSuccessAt:       r.LastSuccess,
		LastFailureAt:       r.LastFailure,
		ConsecutiveFailures: r.Failures,
		ExhaustedSinceThen:  r.Exhausted,
		NextProbeAt:         r.ProbeAt,
	}
	by := ""
	switch {
	case r.State == DisabledAuto:
		by = "service"
	case r.State == Disabled:
		by = "administrator"
	case r.Failing(now):
		h.State = "failing"
	}
	if by != "" {
		h.State, h.DisabledBy = "disabled", &by
	}
	return h
}

// Subject is a webhook in audit events.
func Subject(r Row) audit.Subject { return audit.Subject{Type: "webhook", ID: r.ID, Display: r.Name} }
