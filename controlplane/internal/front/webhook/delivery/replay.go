package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// maxReplay bounds the events of one replay.
const maxReplay = 50_000

func mustBeEnabled(r subscription.Row) error {
	if r.State == subscription.Enabled {
		return nil
	}
	return fault.Coded(fault.Conflict, "webhook_disabled", "the webhook is disabled; enable it first")
}

// eventOf is the event of a delivery, while it is kept.
func eventOf(ctx context.Context, tx *pg.Tx, d Delivery) (event.Stored, error) {
	e, err := pg.One[event.Stored](
		ctx,
		tx,
		"find event",
		`select `+event.Columns+` from event e where e.tenant_id = current_tenant() and e.id = $1`,
		d.EventID,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows) && d.Purpose == ForPing:
		return e, fault.Coded(fault.Conflict, "event_gone", "a test event is sent once; test the webhook again")
	case errors.Is(err, pgx.ErrNoRows):
		return e, fault.Coded(fault.Conflict, "event_gone", "the event is older than 30 days and no longer kept")
	case err != nil:
		return e, err
	}
	return e, nil
}

type replayIn struct {
	ID     string `path:"id"`
	DryRun bool   `query:"dry_run"`
	Body   struct {
		// Start of the period whose events are sent again, at most 30 days ago.
		From time.Time `json:"from"`
		// End of the period. The default is now.
		To *time.Time `json:"to,omitempty"`
		// Types of the events to send again; all types of the webhook when absent.
		Events []string `json:"events,omitempty" maxItems:"100" nullable:"false"`
		// IDs of the events to send again.
		IDs []string `json:"ids,omitempty" maxItems:"1000" nullable:"false"`
		// Send only events that were not delivered to the webhook.
		UndeliveredOnly bool `json:"undelivered_only,omitempty"`
	}
}

// Replay says what a replay sends.
type Replay struct {
	// Events that are sent again, or would be.
	Count int `json:"count"`
	// Start of the replayed period.
	From time.Time `json:"from"`
	// End of the replayed period.
	To time.Time `json:"to"`
	// Whether the events were only counted, and none was sent.
	DryRun bool `json:"dry_run"`
}

// Replay makes deliveries of the events of a period that the webhook wants, or counts them.
func (s *Service) Replay(ctx context.Context, v viewer.Viewer, in *replayIn) (*httpapi.One[Replay], error) {
	out := Replay{From: in.Body.From, To: s.Now(), DryRun: in.DryRun}
	if in.Body.To != nil {
		out.To = *in.Body.To
	}
	if err := in.check(s.Now(), out.To); err != nil {
		return nil, err
	}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		if err := mustBeEnabled(r); err != nil {
			return err
		}
		list, err := in.plan(ctx, tx, r, out.To)
		if err != nil {
			return err
		}
		if out.Count = len(list); in.DryRun {
			return nil
		}
		if err := Insert(ctx, tx, list); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "webhook.replayed",
			Subject: subscription.Subject(r),
			Context: map[string]any{
				"from":   out.From,
				"to":     out.To,
				"events": subscription.Some(in.Body.Events),
				"ids":    subscription.Some(in.Body.IDs),
				"count":  out.Count,
			},
		})
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Replay]{Body: out}, nil
}

func (in *replayIn) check(now, to time.Time) error {
	refuse := func(member, why string) error {
		return fault.New(fault.Invalid, "%s %s", member, why).
			With(fault.Field{Pointer: "#/" + member, Code: "invalid", Detail: why})
	}
	switch {
	case in.Body.From.Before(now.Add(-event.Kept)):
		return refuse("from", "is further back than the 30 days for which events are kept")
	case !in.Body.From.Before(to):
		return refuse("to", "must be after from")
	}
	for i, e := range in.Body.Events {
		if !event.Known(event.Kind(e)) {
			return refuse(fmt.Sprintf("events/%d", i), "names an event that does not exist")
		}
	}
	for i, id := range in.Body.IDs {
		if uuid.Validate(id) != nil {
			return refuse(fmt.Sprintf("ids/%d", i), "is no id of an event")
		}
	}
	return nil
}

// plan finds the events of the window that the webhook wants and makes deliveries of them, in the order in which they
// happened.
func (in *replayIn) plan(ctx context.Context, tx *pg.Tx, r subscription.Row, to time.Time) ([]Planned, error) {
	const sql = `
		select ` + event.Columns + `
		  from event e
		 where e.tenant_id = current_tenant()
		   and e.at >= @from
		   and e.at < @to
		   and e.kind = any(@wanted)
		   and (cardinality(@kinds::text[]) = 0 or e.kind = any(@kinds))
		   and (cardinality(@ids::text[]) = 0 or e.id = any(@ids::text[]::uuid[]))
		   and (not @undelivered or not exists (select from webhook_delivery d
		                                         where d.tenant_id = e.tenant_id and d.event_id = e.id
		                                             and d.webhook_id = @webhook and d.state = 'succeeded'))
		 order by e.at, e.id
		 limit @most`
	found, err := pg.All[event.Stored](ctx, tx, "find events", sql, pgx.NamedArgs{
		"from":        in.Body.From,
		"to":          to,
		"wanted":      r.Events,
		"kinds":       subscription.Some(in.Body.Events),
		"ids":         subscription.Some(in.Body.IDs),
		"undelivered": in.Body.UndeliveredOnly,
		"webhook":     r.ID,
		"most":        maxReplay + 1,
	})
	if err != nil {
		return nil, err
	}
	if len(found) > maxReplay {
		return nil, fault.Coded(
			fault.Invalid,
			"too_many_events",
			"the window holds more than %d events; make it smaller",
			maxReplay,
		)
	}
	filter, err := r.ReadFilter()
	if err != nil {
		return nil, err
	}
	var list []Planned
	for _, e := range found {
		passes, err := Matches(filter, e)
		if err != nil {
			return nil, err
		}
		if passes {
			list = append(list, Plan(r, e, forReplay))
		}
	}
	return list, nil
}
