package simulation

import (
	"context"
	"io"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const (
	simulations = policies + "/simulations"
	ndjson      = "application/x-ndjson"
)

const (
	aboutStart = "Starts a simulation in the background, of the same change that simulate takes. GET of the " +
		"simulation returns its progress, and its figures when it is completed. The result lists every violation. It " +
		"is deleted after seven days. At most 10 simulations wait or run at once (409 too_many_simulations)."
	aboutCancel = "Ends a simulation that waits or runs. The violations that were found so far stay in its result."
	aboutResult = "Violations that the simulated change causes and ends, and those that exist before and after it. " +
		"While the simulation runs, the list has what was found so far."
	aboutExport = "All violations of the result that the filters select, one JSON object on each line. 409 " +
		"simulation_not_completed: the simulation has no whole result."
)

// runRoutes are the operations of stored simulations.
func (s *Service) runRoutes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("POST", simulations, "Start a simulation of an unsaved separation-of-duties policy",
			s.startDraft).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Errors(409).
			Describe(aboutStart),
		httpapi.Handle("POST", policies+"/{id}/simulations", "Start a simulation of a separation-of-duties policy",
			s.startStored).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Errors(409).
			Describe(aboutStart),
		httpapi.Handle("POST", duties+"/{id}/simulations", "Start a simulation of a change of a duty", s.startDuty).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Errors(409).
			Describe(aboutStart),
		httpapi.Handle("GET", simulations, "List simulations of separation of duties", s.listRuns).For(both...),
		httpapi.Handle("GET", simulations+"/{id}", "Retrieve a simulation of separation of duties", s.readRun).
			For(both...),
		httpapi.Handle("POST", simulations+"/{id}/cancel", "Cancel a simulation of separation of duties", s.cancelRun).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Describe(aboutCancel),
		httpapi.Handle("GET", simulations+"/{id}/results", "List the result of a simulation of separation of duties",
			s.listResults).
			For(both...).
			Describe(aboutResult),
		httpapi.Download("GET", simulations+"/{id}/results/file",
			"Export the result of a simulation of separation of duties", ndjson, s.export).
			For(both...).
			Errors(409).
			Describe(aboutExport),
	}
}

// started stores a simulation of what a function prepares.
func (s *Service) started(
	ctx context.Context,
	v viewer.Viewer,
	prepare func(tx *pg.Tx) (subject, error),
) (*httpapi.One[SeparationSimulation], error) {
	var out SeparationSimulation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		of, err := prepare(tx)
		if err != nil {
			return err
		}
		out, err = request(ctx, tx, of, s.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[SeparationSimulation]{Body: out}, nil
}

// startDraft is POST of a simulation of a policy that is not stored.
func (s *Service) startDraft(
	ctx context.Context,
	v viewer.Viewer,
	in *draftIn,
) (*httpapi.One[SeparationSimulation], error) {
	return s.started(ctx, v, func(tx *pg.Tx) (subject, error) { return in.subject(ctx, tx) })
}

// startStored is POST of a simulation of a stored policy.
func (s *Service) startStored(
	ctx context.Context,
	v viewer.Viewer,
	in *storedIn,
) (*httpapi.One[SeparationSimulation], error) {
	return s.started(ctx, v, func(tx *pg.Tx) (subject, error) { return in.subject(ctx, tx) })
}

// startDuty is POST of a simulation of a change of a duty.
func (s *Service) startDuty(
	ctx context.Context,
	v viewer.Viewer,
	in *dutyIn,
) (*httpapi.One[SeparationSimulation], error) {
	return s.started(ctx, v, func(tx *pg.Tx) (subject, error) { return in.subject(ctx, tx) })
}

// RunFilters narrow a list of simulations. All given filters must match.
type RunFilters struct {
	// Simulations in one of these states. Separate values with commas.
	State []string `query:"state" enum:"waiting,running,completed,cancelled,failed"`
	// Simulations of the policy.
	PolicyID string `query:"policy_id" format:"uuid"`
	// Simulations of the duty.
	DutyID string `query:"duty_id" format:"uuid"`
	// Sort field. A leading - sorts in descending order.
	Sort string `query:"sort" default:"-requested_at" enum:"requested_at,-requested_at"`
}

var runOrders = map[string]listing.Order{
	"requested_at": {Column: "s.id", Type: "uuid"}, // IDs rise with the time of the request
}

// query is the list of simulations.
func (f RunFilters) query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, runOrders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: listColumns, From: "separation_simulation s", ID: "s.id", Order: order}
	if len(f.State) > 0 {
		q.Where("s.state = any(@state)", map[string]any{"state": f.State})
	}
	if f.PolicyID != "" {
		q.Where("s.policy_id = @policy::uuid", map[string]any{"policy": f.PolicyID})
	}
	if f.DutyID != "" {
		q.Where("s.duty_id = @duty::uuid", map[string]any{"duty": f.DutyID})
	}
	return q, nil
}

// After is the position of a simulation in the order of the list.
func (f RunFilters) After(s SeparationSimulation) []string { return []string{s.ID, s.ID} }

type runsIn struct {
	httpapi.Paging
	RunFilters
}

// listRuns is GET of simulations.
func (s *Service) listRuns(
	ctx context.Context,
	v viewer.Viewer,
	in *runsIn,
) (*httpapi.ListOut[SeparationSimulation], error) {
	walk, err := s.Cursors.Walk(v, "separation simulations", in.Paging, in.RunFilters)
	if err != nil {
		return nil, err
	}
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	var items []SeparationSimulation
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, err = listing.Fetch[SeparationSimulation](ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, in.After), err
}

type runIn struct {
	// ID of the simulation.
	ID string `path:"id"`
}

// readRun is GET of one simulation.
func (s *Service) readRun(
	ctx context.Context,
	v viewer.Viewer,
	in *runIn,
) (*httpapi.One[SeparationSimulation], error) {
	out, err := s.run(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[SeparationSimulation]{Body: out}, nil
}

// run reads one simulation.
func (s *Service) run(ctx context.Context, v viewer.Viewer, id string) (out SeparationSimulation, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = find(ctx, tx, id, "")
		return err
	})
	return out, err
}

// cancelRun is POST …/cancel.
func (s *Service) cancelRun(
	ctx context.Context,
	v viewer.Viewer,
	in *runIn,
) (*httpapi.One[SeparationSimulation], error) {
	var out SeparationSimulation
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = cancel(ctx, tx, in.ID, s.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[SeparationSimulation]{Body: out}, nil
}

type resultsIn struct {
	// ID of the simulation.
	ID string `path:"id"`
	httpapi.Paging
	ResultFilters
}

// listResults is GET …/results.
func (s *Service) listResults(
	ctx context.Context,
	v viewer.Viewer,
	in *resultsIn,
) (*httpapi.ListOut[SeparationSimulationResult], error) {
	walk, err := s.Cursors.Walk(v, "results of simulation "+in.ID, in.Paging, in.ResultFilters)
	if err != nil {
		return nil, err
	}
	q, err := in.query(in.ID)
	if err != nil {
		return nil, err
	}
	var items []SeparationSimulationResult
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err = find(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		items, total, err = listing.Fetch[SeparationSimulationResult](ctx, tx, q, walk.Page)
		return err
	})
	return httpapi.Out(walk, items, total, in.After), err
}

type exportIn struct {
	// ID of the simulation.
	ID string `path:"id"`
	ResultFilters
}

// export is GET …/results/file.
func (s *Service) export(ctx context.Context, v viewer.Viewer, in *exportIn) (httpapi.File, error) {
	of, err := s.run(ctx, v, in.ID)
	if err != nil {
		return httpapi.File{}, err
	}
	if of.State != Completed {
		return httpapi.File{}, fault.Coded(fault.Conflict, "simulation_not_completed",
			"The simulation is %s. Only completed simulations can be exported.", of.State)
	}
	return httpapi.File{Name: "simulation.ndjson", Write: func(ctx context.Context, w io.Writer) error {
		return s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error { return in.write(ctx, tx, in.ID, w) })
	}}, nil
}
