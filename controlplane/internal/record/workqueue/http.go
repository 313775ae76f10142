package workqueue

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	aboutList = "Lists the items that wait, and the dead letters: items that failed eight times and are not tried " +
		"again. Items whose work is done are not kept."
	aboutSummary = "One entry for each kind of work, also if nothing of it waits, and the periodic work of the " +
		"deployment."
	aboutRetry = "The item waits again, with all eight attempts, and is due at once. Dead letters of the same kind " +
		"and subject failed together with it, and are retried with it."
	aboutRetryAll = "All dead letters of the kind wait again, with all eight attempts, and are due at once."
	aboutDelete   = "Deletes the dead letter, and those of the same kind and subject. The work is not done, unless " +
		"the subject changes again. The audit log keeps the error and the reason."
	aboutTenants = "One entry for each tenant with items or dead letters, with counts by kind. Contains nothing " +
		"that the items are about."
	aboutRecurring = "Periodic work that all tenants share, with the time of the next run."
)

// Routes are the paths under /settings/work-queue, and those for operators under /control-plane/work-queue.
func (s *Service) Routes() []httpapi.Route {
	const base, operators = "/settings/work-queue", "/control-plane/work-queue"
	read := []viewer.Role{viewer.Admin, viewer.Auditor}
	tenants := []httpapi.Route{
		httpapi.Handle("GET", base, "List work items", s.list).For(read...).Describe(aboutList),
		httpapi.Handle("GET", base+"/summary", "Retrieve a summary of the work queue", s.summary).
			For(read...).
			Describe(aboutSummary),
		httpapi.Handle("POST", base+"/retry", "Retry dead letters of a kind", s.retryAll).
			For(viewer.Admin).
			Status(http.StatusOK).
			Describe(aboutRetryAll),
		httpapi.Handle("POST", base+"/{id}/retry", "Retry a dead letter", s.retry).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Describe(aboutRetry),
		httpapi.Handle("DELETE", base+"/{id}", "Delete a dead letter", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(409).
			Describe(aboutDelete),
	}
	for i := range tenants {
		tenants[i] = tenants[i].Tag("settings")
	}
	return append(
		tenants,
		httpapi.Handle("GET", operators, "List the work of tenants", s.tenants).ForOperators().Describe(aboutTenants),
		httpapi.Handle("GET", operators+"/recurring", "List recurring work", s.jobs).
			ForOperators().
			Describe(aboutRecurring),
	)
}

type listIn struct {
	httpapi.Paging
	Filters
}

type idIn struct {
	// ID of the work queue item.
	ID string `path:"id" format:"uuid"`
}

type deleteIn struct {
	// ID of the work queue item.
	ID string `path:"id" format:"uuid"`
	// Why the work need not be done. The audit log keeps it.
	Reason string `query:"reason" required:"true" minLength:"1" maxLength:"1000"`
}

type retryAllIn struct {
	Body struct {
		// Name of a kind, as GET /settings/work-queue/summary lists it.
		Kind string `json:"kind" minLength:"1" maxLength:"100"`
	}
}

// RetriedWork says how many dead letters wait again.
type RetriedWork struct {
	// Number of dead letters that wait for another attempt.
	Retried int64 `json:"retried"`
}
