package health

import (
	"time"
)

// ConnectorSchedule says when a connector is read by itself.
type ConnectorSchedule struct {
	// When what has changed is read.
	IncrementalCron *string `json:"incremental_cron"`
	// When everything is read.
	FullCron *string `json:"full_cron"`
	// The zone of both, by its IANA name.
	Timezone string `json:"timezone"`
	// By how much, at most, a run begins later: an ISO 8601 duration.
	Jitter string `json:"jitter"`
}

// ConnectorHealth is the health of a connector in lists. GET /connectors/{id}/health has the details.
type ConnectorHealth struct {
	// Health according to the status of the connector. new: no sync run has succeeded yet. Three runs that fail one
	// after the other make it degraded, like any other.
	State string `json:"state" enum:"new,healthy,degraded,quarantined,paused,disabled"`
	// Time since when the connector has its status.
	Since time.Time `json:"since"`
	// Why the connector has its status; null if no reason is recorded.
	Cause *string `json:"cause"`

	// State of reading the system: new, healthy, failing (the last run failed), degraded, quarantined, paused,
	// disabled.
	Reading ConnectorHealthPart `json:"reading"`
	// State of writing to the system: healthy, waiting (the target does not answer), stopped (the breaker is open:
	// resume writes), switched_off (for the whole tenant), off, simulate, manual.
	Writing ConnectorHealthPart `json:"writing"`
	// The worse of the two.
	Overall string `json:"overall" enum:"new,healthy,failing,stopped,degraded,quarantined,paused,disabled"`
}

// ConnectorHealthPart is how one direction of a connector stands.
type ConnectorHealthPart struct {
	// State of this direction; the fields reading and writing list their values.
	State string `json:"state" enum:"new,healthy,failing,degraded,quarantined,paused,disabled,waiting,stopped,switched_off,off,simulate,manual"`
	// Time since when the direction is in this state; null if no time is recorded.
	Since *time.Time `json:"since"`
	// Why the direction is in this state; null if no reason is recorded.
	Cause *string `json:"cause"`
}

// HealthOf explains a status to administrators.
func HealthOf(status string) string {
	switch status {
	case "draft", "ready":
		return "new"
	case "active":
		return "healthy"
	}
	return status
}
