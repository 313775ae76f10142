package order

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
)

const (
	aboutRetry = "A failed task is sent again with all its attempts; a task that waits for its next attempt is " +
		"sent now. The values of a new account are computed again from its template. If the result of the last " +
		"attempt is unknown, the target is checked first."
	aboutComplete = "A person made the change in the target system. The task ends without waiting for the next " +
		"sync, except for a new account: a sync reads its key first."
	aboutCancel = "A task that was sent cannot be cancelled. Tasks that depend on it are cancelled too. Access " +
		"that people should still have is planned again at their next evaluation; to prevent that, end its reason."
	aboutBulk = "The tasks of the connector that failed are sent again: all of them, or those of one cause as " +
		"GET /accounts/provisioning-tasks/groups names it. One request takes 10,000; remaining says how many are left."
	aboutNew = "The account is created by the connector's template; attributes replace values of the template. " +
		"Returns at once; follow the task."
	aboutAction = "Returns at once; follow the task. With dry_run=true nothing is stored or sent: the response " +
		"contains the exact request that would be sent, as planned by the connector."
	aboutDelete = aboutAction + " An account that can be used is disabled first, in a task of its own."
	aboutReset  = aboutAction + " The password is random and never shown; it must be changed at the first " +
		"sign-in unless force_change is false."
	aboutBulkDisable = "Disables at most 200 accounts, like the single operation. Accounts that cannot be disabled " +
		"are returned with the reason. With dry_run nothing is written."
)

// Service places what people and rules ask for, and carries out what people do with tasks.
type Service struct {
	DB         *pg.DB
	Connectors attempt.Connectors
	Dispatch   attempt.Dispatcher
	Planner    *planner.Planner
	Now        func() time.Time
	CallLimit  time.Duration // how long a dry run may take
}

// Routes are the paths by which people order changes of accounts, and act upon tasks.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/accounts/provisioning-tasks/{id}/retry", "Retry a provisioning task", s.retry).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutRetry),
		httpapi.Handle("POST", "/accounts/provisioning-tasks/{id}/complete", "Complete a manual provisioning task",
			s.complete).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutComplete),
		httpapi.Handle("POST", "/accounts/provisioning-tasks/{id}/cancel", "Cancel a provisioning task", s.cancel).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutCancel),
		httpapi.Handle("POST", "/accounts/provisioning-tasks/retry-failed", "Retry failed provisioning tasks",
			s.retryAll).
			For(viewer.Admin).
			Status(200).
			Describe(aboutBulk),
		httpapi.Handle("POST", "/accounts", "Create an account", s.create).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutNew),
		httpapi.Handle("POST", "/accounts/{id}/enable", "Enable an account", s.act(task.Enable)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/{id}/disable", "Disable an account", s.act(task.Disable)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/bulk-disable", "Disable accounts in bulk", s.bulkDisable).
			For(viewer.Admin).
			Status(200).
			Describe(aboutBulkDisable),
		httpapi.Handle("POST", "/accounts/{id}/unlock", "Unlock an account", s.act(task.Unlock)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/{id}/delete", "Delete an account", s.act(task.DeleteAccount)).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutDelete),
		httpapi.Handle("POST", "/accounts/{id}/rename", "Rename or move an account", s.rename).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutAction),
		httpapi.Handle("POST", "/accounts/{id}/reset-password", "Reset the password of an account", s.reset).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutReset),
	}
}
