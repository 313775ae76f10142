package timeline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// AccessRequestStep is one thing that happened to a request.
type AccessRequestStep struct {
	// Time of the event, to the microsecond.
	At string `json:"at" db:"at" format:"date-time"`
	// Of the request: submitted, pending_approval, approved, rejected, expired, cancelled, blocked, unblocked,
	// reopened, shortened, comment. Of its approval: stage_opened, stage_closed, answered, reviewed, escalated. Of the
	// access: scheduled, provisioning, fulfilled, failed, extended, ending, closed. More can be added later.
	Event string `json:"event" db:"event" example:"approved"`
	// ID of the request item. Absent if the event is about the request as a whole.
	ItemID string `json:"item_id,omitempty" db:"item_id"`
	// Position of the approval stage, from 0. Absent if the event is not about a stage.
	Stage *int `json:"stage,omitempty" db:"stage"`
	// By name; empty: the product.
	By string `json:"by,omitempty" db:"by"`
	// Description of the event, in words.
	Detail string `json:"detail" db:"detail"`
}

// stepTime orders steps as they happened, to the microsecond.
const stepTime = "2006-01-02T15:04:05.000000Z07:00"

// Steps returns everything that happened to a request that the viewer sees, oldest first.
func Steps(ctx context.Context, tx *pg.Tx, r *accessrequest.AccessRequest) ([]AccessRequestStep, error) {
	steps, err := ownSteps(ctx, tx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, c := range r.Comments {
		steps = append(
			steps,
			AccessRequestStep{At: c.At.UTC().Format(stepTime), Event: "comment", By: c.By.Display, Detail: c.Text},
		)
	}
	for _, i := range r.Items {
		steps = append(steps, stageSteps(i)...)
	}
	slices.SortStableFunc(steps, func(a, b AccessRequestStep) int { return strings.Compare(a.At, b.At) })
	return steps, nil
}

// ownSteps are the steps that the request itself has recorded, the oldest first. Times are written
// as text in UTC with microseconds, which sort like the instants. Steps of the system have no
// actor.
func ownSteps(ctx context.Context, tx *pg.Tx, id string) ([]AccessRequestStep, error) {
	const sql = `
		select to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.event,
		       coalesce(e.item_id::text, '') as item_id, null::int as stage,
		           case when e.by ->> 'type' = 'system' then '' else e.by ->> 'display' end as by, e.detail
		  from access_request_event e
		 where e.request_id = $1
		 order by e.id`
	return pg.All[AccessRequestStep](ctx, tx, "read timeline", sql, id)
}

// stageSteps are what happened in the stages of an item: when each was opened and ended, who answered, and what its
// chain notes.
func stageSteps(i accessrequest.AccessRequestItem) []AccessRequestStep {
	var steps []AccessRequestStep
	add := func(stage int, at string, what, by, detail string) {
		steps = append(
			steps,
			AccessRequestStep{At: at, Event: what, ItemID: i.ID, Stage: &stage, By: by, Detail: detail},
		)
	}
	for _, s := range i.Stages {
		if s.OpenedAt != nil {
			add(s.Index, s.OpenedAt.UTC().Format(stepTime), "stage_opened", "", i.Display+": "+s.Name)
		}
		for _, l := range s.Log {
			if !l.At.IsZero() {
				add(s.Index, l.At.UTC().Format(stepTime), l.Step, "", l.Detail)
			}
		}
		for _, g := range s.Groups {
			for _, slot := range g.Slots {
				if slot.DecidedAt != nil && (slot.State == "approved" || slot.State == "rejected") {
					add(
						s.Index,
						slot.DecidedAt.UTC().Format(stepTime),
						"answered",
						cmp.Or(slot.DecidedBy, slot.Display),
						i.Display+": "+slot.State+term.Prefixed(": ", slot.Comment),
					)
				}
			}
		}
		if s.ClosedAt != nil {
			add(s.Index, s.ClosedAt.UTC().Format(stepTime), "stage_closed", "", i.Display+": "+s.Name+" is "+s.State)
		}
	}
	return steps
}
