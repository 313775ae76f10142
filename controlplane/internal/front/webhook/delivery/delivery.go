package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// States of a delivery.
const (
	Pending   = "pending"
	Succeeded = "succeeded"
	Exhausted = "exhausted"
	skipped   = "skipped"
)

// What a delivery is made for.
const (
	ForEvent      = "event"
	forRedelivery = "redelivery"
	forReplay     = "replay"
	ForPing       = "ping"
)

// Delivery is one event on its way to one webhook.
type Delivery struct {
	// ID of the delivery.
	ID string `json:"id" db:"id"`
	// ID of the webhook that the delivery goes to.
	WebhookID string `json:"webhook_id" db:"webhook_id"`
	// The header webhook-id: the same over all attempts, redeliveries and replays.
	EventID string `json:"event_id" db:"event_id"`
	// Type of the delivered event; see /settings/webhooks/event-types.
	EventType string `json:"event_type" db:"event_type"`
	// ID of the resource that the event is about.
	ResourceID string `json:"resource_id" db:"resource_id"`
	// Sequence number of the event.
	Sequence int64 `json:"sequence" db:"sequence"`
	// Why the delivery exists: an event occurred, one delivery was sent again, a period was replayed, or a test was
	// sent.
	Purpose string `json:"purpose" db:"purpose" enum:"event,redelivery,replay,ping"`
	// ID of the delivery that this one repeats; null when it is not a redelivery.
	RedeliveryOfID *string `json:"redelivery_of_id" db:"redelivery_of"`
	// Status of the delivery. It is exhausted once its attempts or its six hours are used up, and skipped when the
	// webhook was disabled.
	State string `json:"state" db:"state" enum:"pending,succeeded,exhausted,skipped"`
	// Attempts made, of five.
	Attempt int `json:"attempt" db:"attempt"`
	// Time of the next attempt; null when none is planned.
	NextAttemptAt *time.Time `json:"next_attempt_at" db:"next_attempt_at"`
	// HTTP status of the last attempt; null when there was no answer.
	LastStatus *int `json:"last_status" db:"last_status"`
	// Why the last attempt failed; null when there was no error.
	LastError *string `json:"last_error" db:"last_error"`
	// Time the delivery was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the delivery ended; null while it is pending.
	EndedAt *time.Time `json:"ended_at" db:"ended_at"`
}

// Columns are the columns that Delivery reads, of the table d.
const Columns = `d.id::text, d.webhook_id::text, d.event_id::text, d.event_type, d.resource_id::text,
	d.sequence, d.purpose, d.redelivery_of::text, d.state, d.attempt,
	case when d.state = 'pending' then d.due_at end as next_attempt_at, d.last_status, d.last_error, d.created_at,
	    d.ended_at`

// DeliveryDetail is a delivery with its attempts.
type DeliveryDetail struct {
	Delivery
	// Attempts made for the delivery.
	Attempts []Attempt `json:"attempts" nullable:"false"`
}

// Attempt is one POST. An attempt whose outcome is unknown, because the process died, is repeated with the same number.
type Attempt struct {
	// The header grantwright-attempt.
	N int `json:"n"`
	// Time of the attempt.
	At time.Time `json:"at"`
	// URL that the attempt was sent to.
	URL string `json:"url"`
	// SHA-256 digest of the sent body, in hexadecimal.
	BodySHA256 string `json:"body_sha256"`
	// HTTP status of the answer.
	Status int `json:"status,omitempty"`
	// Duration of the attempt, in milliseconds.
	LatencyMS int64 `json:"latency_ms"`
	// The answer's first KiB.
	Excerpt string `json:"excerpt,omitempty"`
	// Why the attempt failed; absent when it succeeded.
	Error string `json:"error,omitempty"`
	// How many attempts were started without a known outcome.
	Repeated int `json:"repeated,omitempty"`
}

// Find reads a delivery of a webhook, with its attempts. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, webhook, id string) (d DeliveryDetail, err error) {
	missing := fault.New(fault.NotFound, "Delivery %s of this webhook was not found.", id)
	if uuid.Validate(webhook) != nil || uuid.Validate(id) != nil {
		return d, missing
	}
	type stored struct {
		Delivery
		Attempts []byte `db:"attempts"`
	}
	sql := `select ` + Columns + `, d.attempts from webhook_delivery d where d.tenant_id = current_tenant()
		and d.webhook_id = $1 and d.id = $2`
	found, err := pg.One[stored](ctx, tx, "find delivery", sql, webhook, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return d, missing
	case err != nil:
		return d, err
	}
	d.Delivery = found.Delivery
	if err := json.Unmarshal(found.Attempts, &d.Attempts); err != nil {
		return d, fmt.Errorf("read attempts of delivery %s: %w", id, err)
	}
	return d, nil
}
