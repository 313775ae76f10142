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

// Webhook is an address that receives events.
type Webhook struct {
	// ID of the webhook.
	ID string `json:"id"`
	// Display name of the webhook.
	Name string `json:"name"`
	// URL that events are delivered to. Its query is never shown, and for teams and slack its path neither.
	URL string `json:"url"`
	// Whether events are delivered.
	Enabled bool `json:"enabled"`
	// Version of the event format, always v1.
	APIVersion string `json:"api_version" enum:"v1"`
	// Types of the events that are delivered; see /settings/webhooks/event-types.
	Events []event.Kind `json:"events" nullable:"false"`
	// Rules that an event must meet to be delivered; null when every event of the types is delivered.
	Filter *filter.Filter `json:"filter"`
	// Headers that are sent along. Their values are never shown.
	HeaderNames []string `json:"header_names" nullable:"false"`
	// Deliveries that begin in a second, at most; null: as many as the endpoint takes, four at a time.
	MaxRPS *int `json:"max_rps"`
	// A delivery waits until those before it about the same resource have ended, not only been tried.
	OrderedPerSubject bool `json:"ordered_per_subject"`
	// Format of the body. standard: that of this API. cloudevents: CloudEvents 1.0 in structured mode. teams: an
	// Adaptive Card for a workflow of Microsoft Teams. slack: a message for an incoming webhook of Slack.
	Format string `json:"format" enum:"standard,cloudevents,teams,slack"`
	// Secrets that deliveries are signed with, without their values.
	Secrets []Secret `json:"secrets" nullable:"false"`
	// Status of the endpoint, from its recent deliveries.
	Health Health `json:"health"`
	// Users who answer for it.
	OwnerIDs []string `json:"owner_ids" nullable:"false"`
	// Time the webhook was created.
	CreatedAt time.Time `json:"created_at"`
	// Time the webhook was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// Version number of the webhook, for If-Match.
	Version int `json:"version"`
}

// Secret is what deliveries are signed with, without its value.
type Secret struct {
	// ID of the secret.
	ID string `json:"id" db:"id"`
	// Whether the secret is the current one (active), or was rotated and signs only until expires_at (retiring).
	State string `json:"state" db:"state" enum:"active,retiring"`
	// Time the secret was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time until which a retiring secret signs next to the active one.
	ExpiresAt *time.Time `json:"expires_at" db:"expires_at"`
}

// Health is the health of the deliveries to an endpoint.
type Health struct {
	// Whether deliveries succeed (ok), fail (failing), or are not made because the webhook is disabled (disabled).
	State string `json:"state" enum:"ok,failing,disabled"`
	// Why it was disabled; empty when it is not.
	Reason string `json:"reason"`
	// Who disabled the webhook. The value service means repeated failures; the webhook is enabled again after a test
	// that succeeds.
	DisabledBy *string `json:"disabled_by" enum:"administrator,service"`
	// When it was enabled or disabled.
	Since time.Time `json:"since"`
	// Time of the last successful delivery; null when there was none.
	LastSuccessAt *time.Time `json:"last_success_at"`
	// Time of the last failed attempt; null when there was none.
	LastFailureAt *time.Time `json:"last_failure_at"`
	// Number of failed attempts since the last success, or since the webhook was enabled or disabled.
	ConsecutiveFailures int `json:"consecutive_failures"`
	// Deliveries given up since the last success.
	ExhaustedSinceThen int `json:"exhausted_since_success"`
	// While deliveries fail, they are sent one at a time; the next one not before this.
	NextProbeAt *time.Time `json:"next_probe_at"`
}

// Row is a webhook as it is stored.
type Row struct {
	ID          string          `db:"id"`
	Name        string          `db:"name"`
	URL         string          `db:"url"` // as it is shown
	SealedURL   []byte          `db:"url_sealed"`
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
const Columns = `w.id::text, w.name, w.url, w.url_sealed, w.state, w.state_reason, w.events, w.filter, w.headers_sealed,
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
