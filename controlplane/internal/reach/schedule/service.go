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
	aboutPut = "Cron expressions have five fields: minute, hour, day of month, month, day of week. One that is null " +
		"or empty ends its part of the schedule. " +
		"Occurrences must be five minutes apart at least, jitter included. A time that the zone's clocks pass over " +
		"is due right after; one that they show twice is due once. " +
		"When both are due, everything is read. An occurrence that finds a run active starts none, but for a full " +
		"one that finds an incremental run: it waits for its end. " +
		"After an outage one run makes up for all that was missed."
	aboutPause  = "No run starts until it is resumed, by schedule or by hand. An active run goes on to its end."
	aboutResume = "It goes on as it was before it was paused or disabled. What its schedule has missed meanwhile is " +
		"not made up for."
	aboutDisable = "No run starts until it is resumed, and the active one is cancelled; what it has merged stays."
	aboutClear   = "A connector is quarantined when its target refused the credentials in three sync runs in a row, " +
		"the last of them started by its schedule. First correct and test the credentials: the next sync run tries " +
		"to sign in again. A connector is also quarantined when two processes ended unexpectedly in one of its sync " +
		"runs (process_died). First find the reason in the log of the control plane."
	aboutHealth = "consecutive_failures counts the runs that have failed since the last one that succeeded; " +
		"success_rate_7d is the share of the runs of seven days " +
		"that succeeded, null where there was none. Previews and cancelled runs do not count."
	aboutPerson = "Starts an incremental run of every connector that knows the person: of their sources, and of the " +
		"systems where they have an account. " +
		"A run that is active already is named instead."
	aboutPeople = "Starts a run of the connectors that are named, or else of all sources of people. 100 at most."
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
