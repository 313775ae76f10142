package delivery

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/filter"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/retry"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Planned is a delivery that is to be made. It goes to the database as JSON.
type Planned struct {
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

// Plan makes a delivery of an event to a webhook, with the times of its attempts. To a disabled webhook it is skipped
// at once.
func Plan(r subscription.Row, e event.Stored, purpose string) Planned {
	p := Planned{
		ID:        subscription.NewID(),
		Webhook:   r.ID,
		Event:     e.ID,
		EventType: string(e.Kind),
		Resource:  e.ResourceID,
		Sequence:  e.Sequence,
		Format:    r.Format,
		Purpose:   purpose,
		State:     Pending,
	}
	if r.State != subscription.Enabled {
		p.State = skipped
	}
	for _, o := range retry.Draw() {
		p.Offsets = append(p.Offsets, o.Milliseconds())
	}
	return p
}

// Channel is where it is announced that something can be delivered.
const Channel = "webhook"

// Insert writes deliveries in one statement, and wakes the workers.
func Insert(ctx context.Context, tx *pg.Tx, list []Planned) error {
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
	if err := pg.Exec(ctx, tx, "make deliveries", sql, string(rows)); err != nil {
		return err
	}
	return pg.Notify(ctx, tx, Channel, "")
}

// Matches reports whether a filter lets an event pass; nil lets everything pass.
func Matches(f *filter.Filter, e event.Stored) (bool, error) {
	if f == nil {
		return true, nil
	}
	data, err := dataOf(e)
	return err == nil && f.Passes(data), err
}
