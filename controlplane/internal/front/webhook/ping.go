package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/delivery"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// pingKind is the event of a test. It cannot be subscribed to.
const pingKind event.Kind = "webhook.ping"

// Tested is what came of a test.
type Tested struct {
	// Whether the endpoint answered the test with a success status.
	Success bool `json:"success"`
	// ID of the delivery that carried the test.
	DeliveryID string `json:"delivery_id"`
	// The header webhook-id.
	EventID string `json:"event_id"`
	// HTTP status of the answer.
	Status int `json:"status,omitempty"`
	// Duration of the attempt, in milliseconds.
	LatencyMS int64 `json:"latency_ms"`
	// The answer's first KiB.
	Excerpt string `json:"excerpt,omitempty"`
	// Why the test failed; absent when it succeeded.
	Error string `json:"error,omitempty"`
}

func (s *Service) test(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[Tested], error) {
	var t target
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		t, err = s.target(ctx, tx, v, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Nothing is open in the database while the endpoint is waited for.
	now := s.Now()
	ping := job{
		ID:     subscription.NewID(),
		Format: t.hook.Format,
		Clock:  now,
		taken:  time.Now(),
		Stored: event.Stored{ID: subscription.NewID(), Kind: pingKind,
			ResourceType: "webhook", ResourceID: t.hook.ID, Data: []byte(`{}`), At: now},
	}
	o := s.send(ctx, t, ping, 1)
	err = s.DB.As(context.WithoutCancel(ctx), v, func(tx *pg.Tx) error { return s.keepPing(ctx, tx, t.hook, ping, o) })
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Tested]{
		Body: Tested{
			Success:    o.ok,
			DeliveryID: ping.ID,
			EventID:    ping.Stored.ID,
			Status:     o.Status,
			LatencyMS:  o.LatencyMS,
			Excerpt:    o.Excerpt,
			Error:      o.Error,
		},
	}, nil
}

// keepPing writes a test into the delivery log. One that succeeded opens the way for a webhook that was disabled by
// itself.
func (s *Service) keepPing(ctx context.Context, tx *pg.Tx, r subscription.Row, ping job, o outcome) error {
	entry, err := json.Marshal([]delivery.Attempt{o.Attempt})
	if err != nil {
		return fmt.Errorf("encode attempt: %w", err)
	}
	state, result := delivery.Succeeded, audit.Success
	if !o.ok {
		state, result = delivery.Exhausted, audit.Failure
	}
	const keep = `
		insert into webhook_delivery (tenant_id, id, webhook_id, event_id, event_type, resource_id, sequence, purpose,
		                              format, state, attempt, offsets, first_at, due_at, attempts, last_status,
		                                  last_error, ended_at)
		values (current_tenant(), $1, $2, $3, $4, $2, 0, $5, $6, $7, 1, '{0}', $8, $8, $9, nullif($10, 0),
		    nullif($11, ''), now())`
	_, err = tx.Exec(
		ctx,
		keep,
		ping.ID,
		r.ID,
		ping.Stored.ID,
		string(pingKind),
		delivery.ForPing,
		r.Format,
		state,
		o.At,
		string(entry),
		o.Status,
		o.Error,
	)
	if err != nil {
		return fmt.Errorf("keep test: %w", err)
	}
	if o.ok {
		if err := pg.Exec(
			ctx,
			tx,
			"note test",
			`update webhook set pinged_at = now() where tenant_id = current_tenant() and id = $1`,
			r.ID,
		); err != nil {
			return err
		}
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "webhook.tested", Outcome: result, Subject: subscription.Subject(r),
			Context: map[string]any{"delivery_id": ping.ID, "status": o.Status}},
	)
}
