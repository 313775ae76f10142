package schedule

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// step is what a person does to the state of a connector.
type step struct {
	name, action string
	from         []string
	to           func(subject) string
	keeps        bool // what it was is resumed later
	cancels      bool // the active run
}

var steps = []step{
	{
		name:   "pause",
		action: "connector.paused",
		from:   []string{"ready", "active", "degraded"},
		to:     always("paused"),
		keeps:  true,
	},
	{name: "resume", action: "connector.resumed", from: []string{"paused", "disabled"}, to: resumed},
	{
		name:    "disable",
		action:  "connector.disabled",
		from:    []string{"draft", "ready", "active", "degraded", "paused", "quarantined"},
		to:      always("disabled"),
		keeps:   true,
		cancels: true,
	},
	{name: "quarantine/clear", action: "connector.quarantine_cleared", from: []string{"quarantined"}, to: fresh},
}

func always(status string) func(subject) string { return func(subject) string { return status } }

// fresh is the state of a connector about which nothing bad is known.
func fresh(c subject) string {
	if c.Funnel == connector.Connected {
		return "active"
	}
	return "ready"
}

// resumed is what a connector was before. What was degraded begins anew; what was quarantined stays so.
func resumed(c subject) string {
	if c.StatusBefore == nil || *c.StatusBefore == "degraded" {
		return fresh(c)
	}
	return *c.StatusBefore
}

// allowed are the steps that a state allows.
func allowed(status string) (names []string) {
	for _, s := range steps {
		if slices.Contains(s.from, status) {
			names = append(names, s.name)
		}
	}
	return names
}

// WhyPaused is why a user stops a connector.
type WhyPaused struct {
	// It is shown at the connector, and goes into the audit log.
	Reason string `json:"reason" minLength:"1" maxLength:"2000"`
}

type stopIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body WhyPaused
}

type goIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

type connectorOut = httpapi.One[connector.Connector]

func (s *Service) pause(ctx context.Context, v viewer.Viewer, in *stopIn) (*connectorOut, error) {
	return s.step(ctx, v, "pause", in.ID, in.IfMatch, &in.Body.Reason)
}

func (s *Service) disable(ctx context.Context, v viewer.Viewer, in *stopIn) (*connectorOut, error) {
	return s.step(ctx, v, "disable", in.ID, in.IfMatch, &in.Body.Reason)
}

func (s *Service) resume(ctx context.Context, v viewer.Viewer, in *goIn) (*connectorOut, error) {
	return s.step(ctx, v, "resume", in.ID, in.IfMatch, nil)
}

func (s *Service) clear(ctx context.Context, v viewer.Viewer, in *goIn) (*connectorOut, error) {
	return s.step(ctx, v, "quarantine/clear", in.ID, in.IfMatch, nil)
}

func (s *Service) step(
	ctx context.Context,
	v viewer.Viewer,
	name, id string,
	match httpapi.IfMatch,
	reason *string,
) (out *connectorOut, err error) {
	do := steps[slices.IndexFunc(steps, func(s step) bool { return s.name == name })]
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err := look(ctx, tx, id, "for update")
		if err != nil {
			return err
		}
		if err := match.Check(c.Version); err != nil {
			return err
		}
		if !slices.Contains(do.from, c.Status) {
			return fault.Coded(fault.Conflict, "invalid_transition", "the connector is %s", c.Status).
				Also("allowed", allowed(c.Status))
		}
		if err := s.change(ctx, tx, c, do, reason); err != nil {
			return err
		}
		after, err := connector.Find(ctx, tx, id)
		out = &connectorOut{ETag: httpapi.ETag(after.Version), Body: after}
		return err
	})
	return out, err
}

func (s *Service) change(ctx context.Context, tx *pg.Tx, c subject, do step, reason *string) error {
	to := do.to(c)
	before, shown := (*string)(nil), reason
	if do.keeps {
		before = &c.Status
		if c.StatusBefore != nil {
			before = c.StatusBefore // paused, and now disabled
		}
	}
	if to == "quarantined" {
		quarantined := "it was quarantined before it was disabled; mend the credentials, then clear the quarantine"
		shown = &quarantined
	}
	const sql = `
		update connector
		   set status = $2, status_reason = $3, status_before = $4,
		       trusted_from = case when $5 then now() else trusted_from end,
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1`
	if err := pg.Exec(
		ctx,
		tx,
		fmt.Sprintf("%s connector", do.name),
		sql,
		c.ID,
		to,
		shown,
		before,
		runnable(to),
	); err != nil {
		return err
	}
	if do.cancels {
		if err := syncrun.CancelOf(ctx, tx, c.ID); err != nil {
			return err
		}
	}
	if runnable(to) {
		if err := s.restart(ctx, tx, c.ID); err != nil {
			return err
		}
	}
	why := map[string]any{}
	if reason != nil {
		why["reason"] = *reason
	}
	return audit.Record(ctx, tx, audit.Entry{Action: do.action, Subject: c.audited(), Context: why,
		Changes: []audit.Change{{Field: "status", From: c.Status, To: to}}})
}

// restart moves a schedule to the occurrences that are to come: what was missed while the connector was stopped on
// purpose is not made up for.
func (s *Service) restart(ctx context.Context, tx *pg.Tx, id string) error {
	r, err := find(ctx, tx, id)
	if err != nil || r.empty() {
		return err
	}
	p, err := r.plan(id)
	if err != nil {
		return err
	}
	now := s.Now()
	r.IncrementalAt, r.FullAt = p.next(p.incremental, now, now), p.next(p.full, now, now)
	r.DueAt = p.due(r.IncrementalAt, r.FullAt)
	return save(ctx, tx, id, r)
}
