package healthreport

import (
	"encoding/json"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/health"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
)

// HealthReport is the health of a connector in detail.
type HealthReport struct {
	health.ConnectorHealth
	// Time of the last successful sync run; null when there was none.
	LastSuccessAt *time.Time `json:"last_success_at"`
	// Runs that have failed since the last one that succeeded.
	ConsecutiveFailures int `json:"consecutive_failures"`
	// Of the runs that ended in the last seven days, from 0 to 1; null when there was none.
	SuccessRate7d *float64 `json:"success_rate_7d"`
	// Time of the next scheduled sync run; null when none is scheduled.
	NextRunAt *time.Time `json:"next_run_at"`
	// When a membership that was removed in the target system is removed here. It can be immediate, or with the next
	// incremental sync after the one that missed it. Otherwise it is with a full sync: the daily one, if incremental
	// syncs do not report removals, or every sync, if all are full.
	Removals string `json:"removals" enum:"immediate,next_incremental,daily_full_sync,full_sync"`
	// The last ten, the newest first.
	LastRuns []HealthRun `json:"last_runs" nullable:"false"`

	// Its provisioning tasks. See health.writing for whether they are sent.
	Provisioning taskview.ProvisioningHealth `json:"provisioning"`
}

// HealthRun is one sync run of the report.
type HealthRun struct {
	// ID of the sync run.
	ID string `json:"id" db:"id"`
	// Origin of the run, such as api, manual, schedule or wizard.
	Trigger string `json:"trigger" db:"trigger"`
	// Whether the run applies changes (apply) or only shows them (preview).
	Mode string `json:"mode" db:"purpose"`
	// It read everything, or is to.
	Full bool `json:"full" db:"reads_all"`
	// Status of the sync run.
	Status string `json:"status" db:"status"`
	// Class of the error that the run ended with; null when there was none.
	ErrorClass *string `json:"error_class" db:"class"`
	// Code of the error that the run ended with; null when there was none.
	ErrorCode *string `json:"error_code" db:"code"`
	// Time the run was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the run ended; null until then.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// Duration of the run, in milliseconds; null until it ends.
	DurationMS *int64 `json:"duration_ms" db:"duration_ms"`
	// User, token or service that requested the run.
	RequestedBy json.RawMessage `json:"requested_by" db:"requested_by"`
}
