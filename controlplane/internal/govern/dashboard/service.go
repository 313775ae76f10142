package dashboard

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/drift"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Service sums up tenants.
type Service struct {
	DB  *pg.DB
	Log *slog.Logger
	Now func() time.Time
}

const about = "All data of a first page in one call. Each figure is the total of the list behind it for this caller: " +
	"managers see their reports. Connectors, sync runs, agents and the checklist are shown only to administrators " +
	"and auditors."

// Routes are /dashboard.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{httpapi.Handle("GET", "/dashboard", "Get the dashboard", s.read).Describe(about)}
}

// read is GET /dashboard. Figures of the whole tenant are for administrators and auditors.
func (s *Service) read(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[Dashboard], error) {
	var d Dashboard
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d = Dashboard{At: s.Now().UTC()}
		if err := s.own(ctx, tx, &d); err != nil {
			return err
		}
		if tx.Viewer.HasAny(viewer.Admin, viewer.Auditor) {
			return s.systems(ctx, tx, &d)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Dashboard]{Body: d}, nil
}

// own fills in what everybody is shown, each their own part of it.
func (s *Service) own(ctx context.Context, tx *pg.Tx, d *Dashboard) error {
	if err := listing.Outwards(ctx, tx); err != nil {
		return err
	}
	f := &d.Figures
	for _, count := range []func() error{
		func() (err error) { f.People, err = identity.Count(ctx, tx); return err },
		func() (err error) { f.Accounts.AccountFigures, err = account.Count(ctx, tx); return err },
		func() (err error) { f.Accounts.Drifted, err = drift.Count(ctx, tx); return err },
		func() (err error) { f.Access, err = grant.Count(ctx, tx); return err },
		func() (err error) { f.Roles, err = role.Count(ctx, tx); return err },
		func() (err error) { d.Inbox, err = tasklist.CountWaiting(ctx, tx, d.At); return err },
		func() (err error) { d.Requests, err = requests(ctx, tx); return err },
		func() (err error) { d.Provisioning.Failed, err = taskview.CountFailed(ctx, tx); return err },
		func() (err error) { d.Findings, err = readFindings(ctx, tx, d.At); return err },
		func() (err error) { d.Funnel.State, err = state(ctx, tx); return err },
	} {
		if err := count(); err != nil {
			return err
		}
	}
	d.Funnel.Bootstrapped, d.Funnel.Connected = f.People.Total, f.People.Connected
	return nil
}

// state is how far the tenant is. A tenant that was connected once stays so, also when the connector is deleted.
func state(ctx context.Context, tx *pg.Tx) (state string, err error) {
	const sql = `
		select case when exists (select from connector c where c.funnel_state = 'connected') then 'connected'
		    else 'bootstrapped' end`
	if err := tx.QueryRow(ctx, sql).Scan(&state); err != nil {
		return "", fmt.Errorf("read how far the tenant is: %w", err)
	}
	return state, nil
}

// requests counts what the viewer has asked for, and what was asked for them. Viewers who may see a request may see
// these.
func requests(ctx context.Context, tx *pg.Tx) (r DashboardRequests, err error) {
	const sql = `
		select count(*), count(*) filter (where r.status in ('submitted', 'pending_approval', 'blocked'))
		  from access_request r
		 where r.status in ('submitted', 'pending_approval', 'blocked', 'approved', 'scheduled', 'provisioning')
		   and r.id in (select q.id from access_request q where q.requested_for = @me
		                 union
		                select q.id from access_request q where q.requester_id = @me
		                 union
		                select q.id from access_request q where q.requester_actor = @user)`
	args := pgx.NamedArgs{"me": orNull(tx.Viewer.Identity), "user": orNull(tx.Viewer.ID)}
	if err := tx.QueryRow(ctx, sql, args).Scan(&r.Open, &r.Waiting); err != nil {
		return r, fmt.Errorf("count own requests: %w", err)
	}
	return r, nil
}

// orNull is nil for what is no ID.
func orNull(id string) any {
	if !listing.IsID(id) {
		return nil
	}
	return id
}

// systems fills in what is shown of the connections to target systems.
func (s *Service) systems(ctx context.Context, tx *pg.Tx, d *Dashboard) (err error) {
	if d.Connectors, err = connectors(ctx, tx); err != nil {
		return err
	}
	if d.Runs, err = runs(ctx, tx, d.At); err != nil {
		return err
	}
	if d.Held, err = held(ctx, tx); err != nil {
		return err
	}
	there, err := agents.CountPresent(ctx, tx)
	if err != nil {
		return err
	}
	d.Agents = &there
	d.Checklist, err = checklist(ctx, tx, there.Online > 0)
	return err
}
