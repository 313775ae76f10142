package syncrun

import (
	"encoding/json"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/tally"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Run is one reading of a target system.
type Run struct {
	ID                  string `json:"id" db:"id"`
	ConnectorID         string `json:"connector_id" db:"connector_id"`
	ConnectorBusinessID string `json:"connector_business_id" db:"business_id"`
	// api, manual, schedule, wizard
	Trigger string `json:"trigger" db:"trigger"`
	Mode    string `json:"connector_mode" db:"mode"`
	// preview shows what would change, and changes nothing
	Purpose string `json:"mode" db:"purpose" enum:"apply,preview"`
	// as asked for
	Incremental bool `json:"incremental" db:"incremental"`
	// as done
	EffectiveIncremental bool `json:"effective_incremental" db:"effective_incremental"`
	// how changes were found, such as ldap_syncrepl; full: everything was read
	Strategy *string `json:"strategy" db:"strategy"`
	// why an incremental run was done in full
	FallbackReason *string `json:"fallback_reason" db:"fallback_reason"`
	MaxRecords     *int    `json:"max_records" db:"max_records"`
	// limited run whose reading this limited run continues; null: the reading began at the start
	Continues   *string `json:"continues_run_id" db:"continues_run_id"`
	ChunkSize   int     `json:"chunk_size" db:"chunk_size"`
	CallbackURL *string `json:"callback_url" db:"callback_url"`
	// of the last callback: pending, delivered, failed
	CallbackState *string `json:"callback_state" db:"callback_state"`
	CallbackError *string `json:"callback_error" db:"callback_error"`
	Status        Status  `json:"status" db:"status"`
	Phase         string  `json:"phase" db:"phase"`
	// the progress that the connector reports
	Message string `json:"message" db:"message"`
	// the target asked us to wait until then
	RateWaitUntil *time.Time     `json:"rate_wait_until" db:"rate_wait_until"`
	Counters      tally.Counters `json:"counters" db:"counters"`
	// what was done, by kind of object; of a preview, what would be
	Report tally.Report `json:"report" db:"report"`
	// kinds that were read completely; only those can show deletions
	Complete map[string]bool `json:"complete" db:"complete"`
	// the number that the source reports
	Estimate *v1.Estimate    `json:"estimate" db:"estimate"`
	Warnings []v1.Warning    `json:"warnings" db:"warnings" nullable:"false"`
	Error    *v1.ErrorDetail `json:"error" db:"error"`
	Chunks   int             `json:"chunks" db:"chunks"`
	Attempt  int             `json:"attempt" db:"attempt"`
	// how often the run was taken over and went on
	Resumes int `json:"resumes" db:"resumes"`
	// records that were read a second time because of that
	Reread int64 `json:"reread" db:"reread"`
	// kinds of change that wait for a decision
	Holds int `json:"holds" db:"holds"`
	// when the held changes are discarded without a decision
	HeldUntil   *time.Time        `json:"held_until" db:"held_until"`
	ExecutedBy  *v1.ExecutedBy    `json:"executed_by" db:"executed_by"`
	RequestedBy json.RawMessage   `json:"requested_by" db:"requested_by"`
	ProgressSeq int64             `json:"progress_seq" db:"progress_seq"`
	StartedAt   *time.Time        `json:"started_at" db:"started_at"`
	FinishedAt  *time.Time        `json:"finished_at" db:"finished_at"`
	DurationMS  *int64            `json:"duration_ms" db:"duration_ms"`
	CreatedAt   time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt   time.Time         `json:"updated_at" db:"updated_at"`
	Links       map[string]string `json:"links" db:"-"`
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
	// sync.progress, sync.held, sync.completed, sync.failed, sync.cancelled
	Event               string          `json:"event"`
	RunID               string          `json:"run_id"`
	ConnectorID         string          `json:"connector_id"`
	ConnectorBusinessID string          `json:"connector_business_id"`
	Seq                 int64           `json:"seq"`
	At                  time.Time       `json:"at"`
	Status              Status          `json:"status"`
	Phase               string          `json:"phase"`
	Counters            tally.Counters  `json:"counters"`
	Report              *tally.Report   `json:"report,omitempty"` // once the run is held or over
	Estimate            *v1.Estimate    `json:"estimate,omitempty"`
	Chunks              int             `json:"chunks"`
	Resumes             int             `json:"resumes,omitempty"`
	Holds               int             `json:"holds,omitempty"`
	HeldUntil           *time.Time      `json:"held_until,omitempty"`
	RateWaitUntil       *time.Time      `json:"rate_wait_until,omitempty"`
	StartedAt           *time.Time      `json:"started_at"`
	FinishedAt          *time.Time      `json:"finished_at,omitempty"`
	Message             string          `json:"message,omitempty"`
	Error               *v1.ErrorDetail `json:"error_detail,omitempty"`
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
