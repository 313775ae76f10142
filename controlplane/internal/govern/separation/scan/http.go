package scan

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

const path = "/policies/separation-of-duties/scan"

const (
	aboutStart = "Evaluates all people in the background and records new, changed and remediated violations. If a " +
		"scan waits or runs already, that scan is returned. Scans also run every night and after changes of policies " +
		"and duties. People whose access changes are evaluated at once."
	aboutRead   = "Before the first scan, the state is never_run."
	aboutCancel = "Stops the scan that waits or runs. Violations that were recorded stay."
)

// Routes are the paths of scans.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", path, "Start a scan for violations", s.start).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Describe(aboutStart),
		httpapi.Handle("GET", path, "Retrieve the last scan for violations", s.read).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutRead),
		httpapi.Handle("DELETE", path, "Cancel a scan for violations", s.cancel).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Describe(aboutCancel),
	}
}

type nothing struct{}

// start is POST of a scan.
func (s *Service) start(ctx context.Context, v viewer.Viewer, _ *nothing) (*httpapi.One[SeparationScan], error) {
	var out SeparationScan
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, none, err := last(ctx, tx, " for update of s")
		if err != nil {
			return err
		}
		if !none && before.isLive() {
			out = before
			return nil
		}
		if err := request(ctx, tx, causeRequest, s.Now()); err != nil {
			return err
		}
		if out, _, err = last(ctx, tx, ""); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "violation.scan_started", Subject: out.auditSubject()})
	})
	return &httpapi.One[SeparationScan]{Body: out}, err
}

// read is GET of the last scan.
func (s *Service) read(ctx context.Context, v viewer.Viewer, _ *nothing) (*httpapi.One[SeparationScan], error) {
	var out SeparationScan
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, _, err := last(ctx, tx, "")
		out = found
		return err
	})
	return &httpapi.One[SeparationScan]{Body: out}, err
}

// cancel is DELETE of the scan that waits or runs.
func (s *Service) cancel(ctx context.Context, v viewer.Viewer, _ *nothing) (*httpapi.One[SeparationScan], error) {
	var out SeparationScan
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, none, err := last(ctx, tx, " for update of s")
		if err != nil {
			return err
		}
		if none || !before.isLive() {
			return fault.Coded(fault.Conflict, "invalid_transition", "No scan for violations is waiting or running.").
				Also("allowed", []string{"start"})
		}
		const sql = `update separation_scan set state = 'cancelled', finished_at = $1`
		if err := pg.Exec(ctx, tx, "cancel scan", sql, s.Now()); err != nil {
			return err
		}
		if out, _, err = last(ctx, tx, ""); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "violation.scan_cancelled", Subject: out.auditSubject()})
	})
	return &httpapi.One[SeparationScan]{Body: out}, err
}

// auditSubject is the scan in audit events.
func (s SeparationScan) auditSubject() audit.Subject {
	return audit.Subject{Type: "separation_scan", ID: *s.ID}
}
