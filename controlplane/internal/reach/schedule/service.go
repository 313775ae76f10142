package schedule

import (
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// Service keeps schedules and starts what they ask for.
type Service struct {
	DB   *pg.DB
	Runs *syncrun.Service
	Log  *slog.Logger
	Now  func() time.Time
}

const (
	aboutPut = "Cron expressions have five fields: minute, hour, day of month, month, day of week. An expression " +
		"that is null or empty turns off its part of the schedule. Start times must be at least five minutes apart, " +
		"jitter included. A time that does not exist because clocks go forward is due right afterwards; a time that " +
		"occurs twice is due once. If both schedules are due, a full sync runs. A scheduled start is skipped while a " +
		"run is active, except that a full sync waits for the end of an incremental run. After an outage, one run " +
		"replaces all missed runs."
	aboutPause = "No run starts, by schedule or manually, until the connector is resumed. An active run continues " +
		"to its end."
	aboutResume = "The connector continues in the state before it was paused or disabled. Missed scheduled runs are " +
		"not repeated."
	aboutDisable = "No run starts until the connector is resumed. The active run is canceled; merged changes stay."
	aboutClear   = "A connector is quarantined when its target refused the credentials in three sync runs in a row, " +
		"the last of them started by its schedule. First correct and test the credentials: the next sync run tries " +
		"to sign in again. A connector is also quarantined when two processes ended unexpectedly in one of its sync " +
		"runs (process_died). First find the reason in the log of the control plane."
	aboutHealth = "consecutive_failures counts the runs that have failed since the last one that succeeded; " +
		"success_rate_7d is the share of the runs of seven days " +
		"that succeeded, null where there was none. Previews and cancelled runs do not count."
	aboutPerson = "Starts an incremental run of every connector with data about the person: the sources of the " +
		"person and the systems of their accounts. If a run is already active, it is returned instead."
	aboutPeople = "Starts a run of the given connectors, or of all sources of people; at most 100."
)

// Routes are the paths of schedules, of the states that people choose, and of people's own runs.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("GET", "/connectors/{id}/schedule", "Get the schedule of a connector", s.read).For(both...),
		httpapi.Handle("PUT", "/connectors/{id}/schedule", "Set the schedule of a connector", s.put).
			For(viewer.Admin).
			Errors(412).
			Describe(aboutPut),
		httpapi.Handle("GET", "/connectors/{id}/health", "Get connector health", s.health).
			For(both...).
			Describe(aboutHealth),
		httpapi.Handle("POST", "/connectors/{id}/pause", "Pause a connector", s.pause).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutPause),
		httpapi.Handle("POST", "/connectors/{id}/resume", "Resume a connector", s.resume).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutResume),
		httpapi.Handle("POST", "/connectors/{id}/disable", "Disable a connector", s.disable).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutDisable),
		httpapi.Handle("POST", "/connectors/{id}/quarantine/clear", "Clear the quarantine of a connector", s.clear).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutClear),
		httpapi.Handle("POST", "/identities/{id}/sync", "Sync the systems of an identity", s.syncPerson).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutPerson),
		httpapi.Handle("POST", "/identities/sync", "Sync all identity sources", s.syncPeople).
			For(viewer.Admin).
			Status(202).
			Errors(409).
			Describe(aboutPeople),
	}
}
