package syncrun

import (
	"encoding/json"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Run is one reading of a target system.
type Run struct {
	// ID of the sync run.
	ID string `json:"id" db:"id"`
	// ID of the connector that is read.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// Business ID of the connector that is read.
	ConnectorBusinessID string `json:"connector_business_id" db:"business_id"`
	// Origin of the run: api, manual, schedule or wizard.
	Trigger string `json:"trigger" db:"trigger"`
	// Where the connector runs: in the control plane (hosted) or on an agent (agent).
	Mode string `json:"connector_mode" db:"mode"`
	// Whether the run applies changes (apply) or only shows them (preview).
	Purpose string `json:"mode" db:"purpose" enum:"apply,preview"`
	// Whether an incremental sync was requested.
	Incremental bool `json:"incremental" db:"incremental"`
	// Whether the run was incremental.
	EffectiveIncremental bool `json:"effective_incremental" db:"effective_incremental"`
	// How changes were found, such as ldap_syncrepl. The value full means that all records were read.
	Strategy *string `json:"strategy" db:"strategy"`
	// Why a requested incremental run read all records.
	FallbackReason *string `json:"fallback_reason" db:"fallback_reason"`
	// Highest number of records that the run reads; null when it is not limited.
	MaxRecords *int `json:"max_records" db:"max_records"`
	// ID of the limited run whose reading this limited run continues; null when reading began at the start.
	Continues *string `json:"continues_run_id" db:"continues_run_id"`
	// Number of records that are processed together.
	ChunkSize int `json:"chunk_size" db:"chunk_size"`
	// URL that the progress is sent to; null when none was given.
	CallbackURL *string `json:"callback_url" db:"callback_url"`
	// Status of the last callback: pending, delivered, failed.
	CallbackState *string `json:"callback_state" db:"callback_state"`
	// Why the last callback failed; null when there was no error.
	CallbackError *string `json:"callback_error" db:"callback_error"`
	// Status of the sync run. When it is held, some changes await a decision; when partial, some records were not
	// applied.
	Status Status `json:"status" db:"status"`
	// Phase that the sync run is in.
	Phase string `json:"phase" db:"phase"`
	// Progress that the connector reports.
	Message string `json:"message" db:"message"`
	// Time until which the run waits because the system limits the request rate.
	RateWaitUntil *time.Time `json:"rate_wait_until" db:"rate_wait_until"`
	// Records that the run has counted.
	Counters counters.Counters `json:"counters" db:"counters"`
	// Number of changes by kind of object; for a preview, those that would be made.
	Report counters.Report `json:"report" db:"report"`
	// Kinds of object that were read completely. Only those can show deletions.
	Complete map[string]bool `json:"complete" db:"complete"`
	// Number of records that the system reports.
	Estimate *v1.Estimate `json:"estimate" db:"estimate"`
	// Problems that did not stop the run.
	Warnings []v1.Warning `json:"warnings" db:"warnings" nullable:"false"`
	// Error that the run ended with; null when there was none.
	Error *v1.ErrorDetail `json:"error" db:"error"`
	// Number of chunks of records that were received.
	Chunks int `json:"chunks" db:"chunks"`
	// Number of times the run was started or taken over by a process.
	Attempt int `json:"attempt" db:"attempt"`
	// Number of times the run was taken over and continued.
	Resumes int `json:"resumes" db:"resumes"`
	// Number of records that were read a second time after a resume.
	Reread int64 `json:"reread" db:"reread"`
	// Number of kinds of change that await a decision.
	Holds int `json:"holds" db:"holds"`
	// Time the held changes are discarded without a decision.
	HeldUntil *time.Time `json:"held_until" db:"held_until"`
	// Where the run was executed: the control plane, or an agent with its ID and host name.
	ExecutedBy *v1.ExecutedBy `json:"executed_by" db:"executed_by"`
	// User, token or service that requested the run.
	RequestedBy json.RawMessage `json:"requested_by" db:"requested_by"`
	// Number of the latest progress event of the run.
	ProgressSeq int64 `json:"progress_seq" db:"progress_seq"`
	// Time the run started; null until then.
	StartedAt *time.Time `json:"started_at" db:"started_at"`
	// Time the run ended; null until then.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// Time from start to end, in milliseconds; null until the run ends.
	DurationMS *int64 `json:"duration_ms" db:"duration_ms"`
	// Time the run was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the run was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// URLs of the run and of related resources, by name.
	Links map[string]string `json:"links" db:"-"`
}

// link fills in where the run and what belongs to it are found.
func (r *Run) link() {
	self := "/api/v1/connectors/" + r.ConnectorID + "/sync-runs/" + r.ID
	r.Links = map[string]string{"self": self}
	for _, part := range []string{"events", "errors", "cancel", "diff", "changes", "holds", "release", "discard"} {
		r.Links[part] = self + "/" + part
	}
	if r.Warnings == nil {
		r.Warnings = []v1.Warning{}
	}
	if r.Complete == nil {
		r.Complete = map[string]bool{}
	}
}

// Progress is what the event stream and the callback tell.
type Progress struct {
	// Kind of the event: sync.progress, sync.held, sync.completed, sync.failed, sync.cancelled.
	Event string `json:"event"`
	// ID of the sync run.
	RunID string `json:"run_id"`
	// ID of the connector that is read.
	ConnectorID string `json:"connector_id"`
	// Business ID of the connector that is read.
	ConnectorBusinessID string `json:"connector_business_id"`
	// Number of the progress event in the run.
	Seq int64 `json:"seq"`
	// Time of the progress event.
	At time.Time `json:"at"`
	// Status of the sync run.
	Status Status `json:"status"`
	// Phase that the sync run is in.
	Phase string `json:"phase"`
	// Records that the run has counted.
	Counters counters.Counters `json:"counters"`
	// Number of changes by kind of object; present once the run is held or has ended.
	Report *counters.Report `json:"report,omitempty"`
	// Number of records that the system reports.
	Estimate *v1.Estimate `json:"estimate,omitempty"`
	// Number of chunks of records that were received.
	Chunks int `json:"chunks"`
	// Number of times the run was taken over and continued.
	Resumes int `json:"resumes,omitempty"`
	// Number of kinds of change that await a decision.
	Holds int `json:"holds,omitempty"`
	// Time the held changes are discarded without a decision.
	HeldUntil *time.Time `json:"held_until,omitempty"`
	// Time until which the run waits because the system limits the request rate.
	RateWaitUntil *time.Time `json:"rate_wait_until,omitempty"`
	// Time the run started; null until then.
	StartedAt *time.Time `json:"started_at"`
	// Time the run ended; absent until then.
	FinishedAt *time.Time `json:"finished_at,omitempty"`
	// Progress that the connector reports.
	Message string `json:"message,omitempty"`
	// Error that the run ended with; absent when there was none.
	Error *v1.ErrorDetail `json:"error_detail,omitempty"`
}

// Progress is the run as its listeners see it at a time.
func (r *Run) Progress(now time.Time) Progress {
	p := Progress{
		Event:               r.Status.event(),
		RunID:               r.ID,
		ConnectorID:         r.ConnectorID,
		ConnectorBusinessID: r.ConnectorBusinessID,
		Seq:                 r.ProgressSeq,
		At:                  now.UTC(),
		Status:              r.Status,
		Phase:               r.Phase,
		Counters:            r.Counters,
		Estimate:            r.Estimate,
		Chunks:              r.Chunks,
		Resumes:             r.Resumes,
		Holds:               r.Holds,
		HeldUntil:           r.HeldUntil,
		RateWaitUntil:       r.RateWaitUntil,
		StartedAt:           r.StartedAt,
		FinishedAt:          r.FinishedAt,
		Message:             r.Message,
		Error:               r.Error,
	}
	if r.Status.Ended() || r.Status == Held {
		p.Report = &r.Report
	}
	if r.Error != nil {
		p.Message = r.Error.Message
	}
	return p
}
