package tenant

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// How long a closing tenant can be opened again.
const (
	usualGrace   = 30 * 24 * time.Hour
	longestGrace = 365 * 24 * time.Hour
)

// Closure is how an operator closes a tenant.
type Closure struct {
	// The tenant's slug, to confirm that it is the right tenant.
	Confirm string `json:"confirm" maxLength:"63"`
	// Reason for closing the tenant.
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
	// ISO 8601 duration of weeks, days, hours, minutes and seconds, up to P365D; P30D when absent. PT0S erases at once
	// and for ever.
	Grace string `json:"grace,omitempty" maxLength:"20" example:"P30D"`
}

type closeIn struct {
	// ID of the tenant.
	ID string `path:"id"`
	httpapi.IfMatch
	Body Closure
}

// close is POST …/close. The slug must be repeated. What is going on in the tenant is ended, and
// after the grace all of its data is erased.
func (s *Service) close(ctx context.Context, v viewer.Viewer, in *closeIn) (*found, error) {
	grace, err := readGrace(in.Body.Grace)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, v, in.ID, in.IfMatch, func(tx *pg.Tx, t Tenant) (audit.Entry, error) {
		if err := notOwn(tx.Viewer, "close"); err != nil {
			return audit.Entry{}, err
		}
		if t.Status == Closing {
			return audit.Entry{}, t.cannot("closed")
		}
		if in.Body.Confirm != t.Slug {
			return audit.Entry{}, fault.New(fault.Invalid,
				"confirm is not the slug of this tenant; nothing was closed").
				With(fault.Field{Pointer: "#/confirm", Code: "invalid", Detail: "repeat the slug of the tenant that " +
					"is to be closed"})
		}
		if err := s.Stop(ctx, tx); err != nil {
			return audit.Entry{}, err
		}
		return t.beginClosing(ctx, tx, in.Body.Reason, grace)
	})
}

// beginClosing sets the status, and notes who closed the tenant and what its status was, for
// reopen.
func (t Tenant) beginClosing(ctx context.Context, tx *pg.Tx, why string, grace time.Duration) (audit.Entry, error) {
	by := map[string]any{"tenant": tx.Viewer.Home, "id": tx.Viewer.ID, "display": tx.Viewer.Display, "status": t.Status}
	const sql = `
		update tenant
		   set status = 'closing', status_reason = $1, closed_at = now(),
		       purge_after = now() + make_interval(secs => $2), closed_by = $3,
		       updated_at = now(), version = version + 1
		 where id = current_tenant()
		returning purge_after`
	var end time.Time
	if err := tx.QueryRow(ctx, sql, why, grace.Seconds(), by).Scan(&end); err != nil {
		return audit.Entry{}, fmt.Errorf("close tenant: %w", err)
	}
	return audit.Entry{
		Action: "tenant.closed", Changes: []audit.Change{{Field: "status", From: t.Status, To: Closing}},
		Reason: why, Context: map[string]any{"purge_after": end},
	}, nil
}

// reopen is POST …/reopen, within the grace and before anything was erased. The tenant gets the
// status that it had.
func (s *Service) reopen(ctx context.Context, v viewer.Viewer, in *stepIn) (*found, error) {
	return s.change(ctx, v, in.ID, in.IfMatch, func(tx *pg.Tx, t Tenant) (audit.Entry, error) {
		if t.Status != Closing {
			return audit.Entry{}, t.cannot("reopened")
		}
		const sql = `
			update tenant
			   set status = coalesce(closed_by ->> 'status', 'active'), status_reason = null, closed_at = null,
			       purge_after = null, closed_by = null,
			       updated_at = now(), version = version + 1
			 where id = current_tenant()
			   and purge_after > now()
			   and purged = '{}'
			returning status`
		var now Status
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return audit.Entry{}, fmt.Errorf("reopen tenant: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&now); err != nil {
				return audit.Entry{}, fmt.Errorf("reopen tenant: %w", err)
			}
		}
		if err := rows.Err(); err != nil {
			return audit.Entry{}, fmt.Errorf("reopen tenant: %w", err)
		}
		if now == "" {
			return audit.Entry{}, fault.Coded(
				fault.Conflict,
				"tenant_erased",
				"the grace period of this tenant has ended, and its data is being erased",
			)
		}
		return audit.Entry{
			Action:  "tenant.reopened",
			Changes: []audit.Change{{Field: "status", From: Closing, To: now}},
		}, nil
	})
}

var graceForm = regexp.MustCompile(
	`^P(?:(\d{1,3})W)?(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$`,
)

// readGrace reads an ISO 8601 duration; the usual grace when it is empty.
func readGrace(text string) (time.Duration, error) {
	if text == "" {
		return usualGrace, nil
	}
	parts := graceForm.FindStringSubmatch(text)
	var sum time.Duration
	given := false
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if parts == nil || parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return 0, fmt.Errorf("read grace: %w", err)
		}
		given, sum = true, sum+time.Duration(n)*unit
	}
	if !given || sum > longestGrace {
		return 0, fault.New(fault.Invalid, "the grace cannot be used").
			With(fault.Field{Pointer: "#/grace", Code: "invalid", Detail: "an ISO 8601 duration from PT0S to P365D, " +
				"such as P30D"})
	}
	return sum, nil
}
