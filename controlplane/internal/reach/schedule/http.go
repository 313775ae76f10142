package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// upcoming is how many runs to come are shown.
const upcoming = 5

// ScheduleView is a connector's schedule with what comes of it. Nothing comes of it while the connector is no one that
// can be read.
type ScheduleView struct {
	// Cron expression of the incremental syncs; null when none are scheduled.
	IncrementalCron *string `json:"incremental_cron"`
	// Cron expression of the full syncs; null when none are scheduled.
	FullCron *string `json:"full_cron"`
	// IANA name of the time zone that the cron expressions apply in, such as Europe/Berlin.
	Timezone string `json:"timezone"`
	// Longest delay of a scheduled start, as an ISO 8601 duration, so that not all runs begin at once.
	Jitter string `json:"jitter"`
	// The earlier of the next two.
	NextRunAt *time.Time `json:"next_run_at"`
	// Jitter included, as in all of these.
	NextIncrementalAt *time.Time `json:"next_incremental_run_at"`
	// Time of the next full sync, jitter included; null when none is scheduled.
	NextFullAt *time.Time `json:"next_full_run_at"`
	// The next five.
	Upcoming []ScheduledRun `json:"upcoming" nullable:"false"`
	// What was done about the last occurrence.
	Last *ScheduleOccurrence `json:"last_occurrence"`
	// Occurrences that started nothing since the last that started a run.
	Skipped int `json:"skipped"`
}

// subject is the connector that a request is about.
type subject struct {
	ID, BusinessID, Status string
	StatusBefore           *string
	Funnel                 string
	Version                int
}

// runnable reports whether runs of the connector start by schedule.
func (s subject) runnable() bool { return runnable(s.Status) }

func runnable(status string) bool {
	return status == "ready" || status == "active" || status == "degraded"
}

func (s subject) audited() audit.Subject {
	return audit.Subject{Type: "connector", ID: s.ID, Display: s.BusinessID}
}

func look(ctx context.Context, tx *pg.Tx, id, locking string) (s subject, err error) {
	missing := fault.New(fault.NotFound, "Connector %s was not found.", id)
	if !listing.IsID(id) {
		return s, missing
	}
	sql := `select id, business_id, status, status_before, funnel_state,
		version from connector where tenant_id = current_tenant() and id = $1 and deleted_at is null ` + locking
	err = tx.QueryRow(ctx, sql, id).Scan(&s.ID, &s.BusinessID, &s.Status, &s.StatusBefore, &s.Funnel, &s.Version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return s, missing
	case err != nil:
		return s, fmt.Errorf("find connector: %w", err)
	}
	return s, nil
}

type oneIn struct {
	ID string `path:"id"`
}

func (s *Service) read(ctx context.Context, v viewer.Viewer, in *oneIn) (out *httpapi.One[ScheduleView], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := look(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		out, err = view(ctx, tx, c)
		return err
	})
	return out, err
}

func view(ctx context.Context, tx *pg.Tx, c subject) (*httpapi.One[ScheduleView], error) {
	r, err := find(ctx, tx, c.ID)
	if err != nil {
		return nil, err
	}
	p, err := r.plan(c.ID)
	if err != nil {
		return nil, fmt.Errorf("the stored schedule of connector %s cannot be kept any more: %w", c.ID, err)
	}
	out := ScheduleView{
		IncrementalCron: r.IncrementalCron,
		FullCron:        r.FullCron,
		Timezone:        r.Timezone,
		Jitter:          r.Jitter,
		Upcoming:        []ScheduledRun{},
		Last:            r.Last,
		Skipped:         r.Skipped,
	}
	if c.runnable() {
		out.NextRunAt, out.NextIncrementalAt, out.NextFullAt = r.DueAt, p.due(r.IncrementalAt), p.due(r.FullAt)
		out.Upcoming = p.ahead(r.IncrementalAt, r.FullAt, upcoming)
	}
	return &httpapi.One[ScheduleView]{ETag: httpapi.ETag(c.Version), Body: out}, nil
}

type putIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body ScheduleSettings
}

func (s *Service) put(ctx context.Context, v viewer.Viewer, in *putIn) (out *httpapi.One[ScheduleView], err error) {
	after := in.Body.normal()
	p, invalid := after.plan(in.ID)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := look(ctx, tx, in.ID, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(c.Version); err != nil {
			return err
		}
		if invalid != nil {
			return invalid
		}
		if c.Version, err = s.replace(ctx, tx, c, after, p); err != nil {
			return err
		}
		out, err = view(ctx, tx, c)
		return err
	})
	return out, err
}

// replace writes new settings, unless they are the old ones, and gives the connector's version. Occurrences begin anew.
func (s *Service) replace(ctx context.Context, tx *pg.Tx, c subject, after ScheduleSettings, p plan) (int, error) {
	before, err := find(ctx, tx, c.ID)
	if err != nil {
		return 0, err
	}
	if before.empty() && after.empty() || same(before.ScheduleSettings, after) {
		return c.Version, nil
	}
	now := s.Now()
	r := row{ScheduleSettings: after, IncrementalAt: p.next(p.incremental, now, now), FullAt: p.next(p.full, now, now)}
	r.DueAt = p.due(r.IncrementalAt, r.FullAt)
	if err := save(ctx, tx, c.ID, r); err != nil {
		return 0, err
	}
	err = audit.Record(ctx, tx, audit.Entry{Action: "connector.schedule_changed", Subject: c.audited(),
		Changes: []audit.Change{{Field: "schedule", From: before.shown(), To: after.shown()}}})
	if err != nil {
		return 0, err
	}
	return touch(ctx, tx, c.ID)
}

func same(a, b ScheduleSettings) bool {
	equal := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	return equal(a.IncrementalCron, b.IncrementalCron) && equal(a.FullCron, b.FullCron) && a.Timezone == b.Timezone &&
		a.Jitter == b.Jitter
}
