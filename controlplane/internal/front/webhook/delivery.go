package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// States of a delivery.
const (
	pending   = "pending"
	succeeded = "succeeded"
	exhausted = "exhausted"
	skipped   = "skipped"
)

// What a delivery is made for.
const (
	forEvent      = "event"
	forRedelivery = "redelivery"
	forReplay     = "replay"
	forPing       = "ping"
)

// Delivery is one event on its way to one webhook.
type Delivery struct {
	ID             string     `json:"id" db:"id"`
	WebhookID      string     `json:"webhook_id" db:"webhook_id"`
	EventID        string     `json:"event_id" db:"event_id" doc:"The header webhook-id: the same over all attempts, redeliveries and replays."`
	EventType      string     `json:"event_type" db:"event_type"`
	ResourceID     string     `json:"resource_id" db:"resource_id"`
	Sequence       int64      `json:"sequence" db:"sequence"`
	Purpose        string     `json:"purpose" db:"purpose" enum:"event,redelivery,replay,ping"`
	RedeliveryOfID *string    `json:"redelivery_of_id" db:"redelivery_of"`
	State          string     `json:"state" db:"state" enum:"pending,succeeded,exhausted,skipped" doc:"exhausted: its attempts or its six hours are used up; skipped: the webhook was disabled."`
	Attempt        int        `json:"attempt" db:"attempt" doc:"Attempts made, of five."`
	NextAttemptAt  *time.Time `json:"next_attempt_at" db:"next_attempt_at"`
	LastStatus     *int       `json:"last_status" db:"last_status" doc:"HTTP status of the last attempt; null when there was no answer."`
	LastError      *string    `json:"last_error" db:"last_error"`
	CreatedAt      time.Time  `json:"created_at" db:"created_at"`
	EndedAt        *time.Time `json:"ended_at" db:"ended_at"`
}

const deliveryColumns = `d.id::text, d.webhook_id::text, d.event_id::text, d.event_type, d.resource_id::text,
	d.sequence, d.purpose, d.redelivery_of::text, d.state, d.attempt,
	case when d.state = 'pending' then d.due_at end as next_attempt_at, d.last_status, d.last_error, d.created_at,
	    d.ended_at`

// DeliveryDetail is a delivery with its attempts.
type DeliveryDetail struct {
	Delivery
	Attempts []Attempt `json:"attempts" nullable:"false"`
}

// Attempt is one POST. An attempt whose outcome nobody knows, because the process died, is made again by the same
// number.
type Attempt struct {
	N          int       `json:"n" doc:"The header grantwright-attempt."`
	At         time.Time `json:"at"`
	URL        string    `json:"url"`
	BodySHA256 string    `json:"body_sha256"`
	Status     int       `json:"status,omitempty" doc:"HTTP status of the answer."`
	LatencyMS  int64     `json:"latency_ms"`
	Excerpt    string    `json:"excerpt,omitempty" doc:"The answer's first KiB."`
	Error      string    `json:"error,omitempty"`
	Repeated   int       `json:"repeated,omitempty" doc:"How many attempts were started without a known outcome."`
}

func findDelivery(ctx context.Context, tx *pg.Tx, webhook, id string) (d DeliveryDetail, err error) {
	missing := fault.New(fault.NotFound, "there is no delivery %s of this webhook", id)
	if uuid.Validate(webhook) != nil || uuid.Validate(id) != nil {
		return d, missing
	}
	type stored struct {
		Delivery
		Attempts []byte `db:"attempts"`
	}
	sql := `select ` + deliveryColumns + `, d.attempts from webhook_delivery d where d.tenant_id = current_tenant()
		and d.webhook_id = $1 and d.id = $2`
	rows, err := tx.Query(ctx, sql, webhook, id)
	if err != nil {
		return d, fmt.Errorf("find delivery: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[stored])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return d, missing
	case err != nil:
		return d, fmt.Errorf("find delivery: %w", err)
	}
	d.Delivery = found.Delivery
	if err := json.Unmarshal(found.Attempts, &d.Attempts); err != nil {
		return d, fmt.Errorf("read attempts of delivery %s: %w", id, err)
	}
	return d, nil
}

// planned is a delivery that is to be made. It travels to the database as JSON.
type planned struct {
	ID           string  `json:"id"`
	Webhook      string  `json:"webhook"`
	Event        string  `json:"event"`
	EventType    string  `json:"event_type"`
	Resource     string  `json:"resource"`
	Sequence     int64   `json:"sequence"`
	Format       string  `json:"format"`
	Purpose      string  `json:"purpose"`
	State        string  `json:"state"`
	RedeliveryOf *string `json:"redelivery_of"`
	Offsets      []int64 `json:"offsets"` // milliseconds
}

// plan makes a delivery of an event to a webhook, with the times of its attempts. To one that is disabled it is skipped
// at once.
func plan(r row, e event.Stored, purpose string) planned {
	p := planned{
		ID:        newID(),
		Webhook:   r.ID,
		Event:     e.ID,
		EventType: string(e.Kind),
		Resource:  e.ResourceID,
		Sequence:  e.Sequence,
		Format:    r.Format,
		Purpose:   purpose,
		State:     pending,
	}
	if r.State != enabled {
		p.State = skipped
	}
	for _, o := range draw() {
		p.Offsets = append(p.Offsets, o.Milliseconds())
	}
	return p
}

// channel is where it is announced that something can be delivered.
const channel = "webhook"

// insertDeliveries makes deliveries in one statement, and wakes whoever delivers.
func insertDeliveries(ctx context.Context, tx *pg.Tx, list []planned) error {
	if len(list) == 0 {
		return nil
	}
	rows, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode deliveries: %w", err)
	}
	const sql = `
		insert into webhook_delivery (tenant_id, id, webhook_id, event_id, event_type, resource_id, sequence, format,
		                              purpose, state, redelivery_of, offsets, due_at, ended_at)
		select current_tenant(), p.id, p.webhook, p.event, p.event_type, p.resource, p.sequence, p.format, p.purpose,
		       p.state, p.redelivery_of, p.offsets, clock_timestamp() + make_interval(secs => p.offsets[1] / 1000.0),
		           case when p.state <> 'pending' then now() end
		  from jsonb_to_recordset($1::jsonb) p (id uuid, webhook uuid, event uuid, event_type text, resource uuid,
		                                 sequence bigint, format text, purpose text, state text, redelivery_of uuid,
		                                     offsets int[])`
	if _, err := tx.Exec(ctx, sql, string(rows)); err != nil {
		return fmt.Errorf("make deliveries: %w", err)
	}
	return pg.Notify(ctx, tx, channel, "")
}
