package request

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Visibilities of comments.
const (
	Everybody = "everybody"
	Approvers = "approvers" // neither whoever asks nor the person it is for
)

// asks says whether the viewer is one of those who do not read what approvers say among themselves.
func (r *AccessRequest) asks(v viewer.Viewer) bool {
	own := v.Identity != "" &&
		(v.Identity == r.RequestedForIdentityID || r.RequesterID != nil && v.Identity == *r.RequesterID)
	return own || r.ActorID != nil && v.ID == *r.ActorID
}

// comments are those that the viewer may read.
func comments(ctx context.Context, tx *pg.Tx, r *AccessRequest) ([]AccessRequestComment, error) {
	const sql = `
		select c.id::text, c.by, c.at, c.text, c.visibility
		  from access_request_comment c
		 where c.request_id = @id
		   and c.visibility = any(@visible)
		 order by c.id`
	visible := []string{Everybody, Approvers}
	if r.asks(tx.Viewer) {
		visible = visible[:1]
	}
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": r.ID, "visible": visible})
	if err != nil {
		return nil, fmt.Errorf("read comments: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[AccessRequestComment])
	if err != nil {
		return nil, fmt.Errorf("read comments: %w", err)
	}
	return found, nil
}

// Comment adds what somebody says who sees the request.
func (s *Service) Comment(
	ctx context.Context,
	v viewer.Viewer,
	id, text, visibility string,
) (said AccessRequestComment, err error) {
	said = AccessRequestComment{
		ID:         newID(),
		By:         actorOf(v),
		At:         s.Now().UTC(),
		Text:       strings.TrimSpace(text),
		Visibility: cmpText(visibility, Everybody),
	}
	if said.Text == "" {
		return said, fault.New(fault.Invalid, "a comment says something").
			With(fault.Field{Pointer: "#/text", Code: "required", Detail: "say what you mean"})
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := find(ctx, tx, id)
		if err != nil {
			return err
		}
		if said.Visibility == Approvers && r.asks(v) {
			return fault.New(fault.Invalid, "you could not read what you say: it would be hidden from those who ask").
				With(fault.Field{Pointer: "#/visibility", Code: "invalid", Detail: "choose everybody"})
		}
		const sql = `
			insert into access_request_comment (tenant_id, id, request_id, at, by, text, visibility)
			values (current_tenant(), $1, $2, $3, $4, $5, $6)`
		if _, err := tx.Exec(ctx, sql, said.ID, id, said.At, said.By, said.Text, said.Visibility); err != nil {
			return fmt.Errorf("write comment: %w", err)
		}
		return audit.Record(ctx, tx, r.entry(actCommented, nil, ""))
	})
	return said, err
}

// AccessRequestStep is one thing that happened to a request.
type AccessRequestStep struct {
	At     string `json:"at" db:"at" format:"date-time"`
	Event  string `json:"event" db:"event" example:"approved" doc:"Of the request: submitted, pending_approval, approved, rejected, expired, cancelled, blocked, unblocked, reopened, shortened, comment. Of its approval: stage_opened, stage_closed, answered, reviewed, escalated. Of the access: scheduled, provisioning, fulfilled, failed, extended, ending, closed. More can be added later."`
	ItemID string `json:"item_id,omitempty" db:"item_id"`
	Stage  *int   `json:"stage,omitempty" db:"stage"`
	By     string `json:"by,omitempty" db:"by" doc:"By name; empty: the product."`
	Detail string `json:"detail" db:"detail"`
}

// stepTime orders steps as they happened, to the microsecond.
const stepTime = "2006-01-02T15:04:05.000000Z07:00"

// Timeline is everything that happened to a request, the first thing first.
func (s *Service) Timeline(ctx context.Context, v viewer.Viewer, id string) (steps []AccessRequestStep, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := find(ctx, tx, id)
		if err != nil {
			return err
		}
		if steps, err = ownSteps(ctx, tx, id); err != nil {
			return err
		}
		for _, c := range r.Comments {
			steps = append(
				steps,
				AccessRequestStep{At: c.At.UTC().Format(stepTime), Event: "comment", By: c.By.Display, Detail: c.Text},
			)
		}
		for _, i := range r.Items {
			steps = append(steps, i.stageSteps()...)
		}
		slices.SortStableFunc(steps, func(a, b AccessRequestStep) int { return strings.Compare(a.At, b.At) })
		return nil
	})
	return steps, err
}

func ownSteps(ctx context.Context, tx *pg.Tx, id string) ([]AccessRequestStep, error) {
	const sql = `
		select to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.event,
		       coalesce(e.item_id::text, '') as item_id, null::int as stage,
		           case when e.by ->> 'type' = 'system' then '' else e.by ->> 'display' end as by, e.detail
		  from access_request_event e
		 where e.request_id = $1
		 order by e.id`
	rows, err := tx.Query(ctx, sql, id)
	if err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	steps, err := pgx.CollectRows(rows, pgx.RowToStructByName[AccessRequestStep])
	if err != nil {
		return nil, fmt.Errorf("read timeline: %w", err)
	}
	return steps, nil
}

// stageSteps are what happened in the stages of an item: when each was opened and ended, who answered, and what its
// chain notes.
func (i AccessRequestItem) stageSteps() []AccessRequestStep {
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
						cmpText(slot.DecidedBy, slot.Display),
						i.Display+": "+slot.State+orBlank(": ", slot.Comment),
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
