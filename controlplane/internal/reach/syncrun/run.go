package syncrun

import (
	"encoding/json"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/tally"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Run is one reading of a target system.
type Run struct {
	ID                   string            `json:"id" db:"id"`
	ConnectorID          string            `json:"connector_id" db:"connector_id"`
	ConnectorBusinessID  string            `json:"connector_business_id" db:"business_id"`
	Trigger              string            `json:"trigger" db:"trigger" doc:"api, manual, schedule, wizard"`
	Mode                 string            `json:"connector_mode" db:"mode"`
	Purpose              string            `json:"mode" db:"purpose" enum:"apply,preview" doc:"preview shows what would change, and changes nothing"`
	Incremental          bool              `json:"incremental" db:"incremental" doc:"as asked for"`
	EffectiveIncremental bool              `json:"effective_incremental" db:"effective_incremental" doc:"as done"`
	Strategy             *string           `json:"strategy" db:"strategy" doc:"how changes were found, such as ldap_syncrepl; full: everything was read"`
	FallbackReason       *string           `json:"fallback_reason" db:"fallback_reason" doc:"why an incremental run was done in full"`
	MaxRecords           *int              `json:"max_records" db:"max_records"`
	Continues            *string           `json:"continues_run_id" db:"continues_run_id" doc:"limited run whose reading this limited run continues; null: the reading began at the start"`
	ChunkSize            int               `json:"chunk_size" db:"chunk_size"`
	CallbackURL          *string           `json:"callback_url" db:"callback_url"`
	CallbackState        *string           `json:"callback_state" db:"callback_state" doc:"of the last callback: pending, delivered, failed"`
	CallbackError        *string           `json:"callback_error" db:"callback_error"`
	Status               Status            `json:"status" db:"status"`
	Phase                string            `json:"phase" db:"phase"`
	Message              string            `json:"message" db:"message" doc:"the progress that the connector reports"`
	RateWaitUntil        *time.Time        `json:"rate_wait_until" db:"rate_wait_until" doc:"the target asked us to wait until then"`
	Counters             tally.Counters    `json:"counters" db:"counters"`
	Report               tally.Report      `json:"report" db:"report" doc:"what was done, by kind of object; of a preview, what would be"`
	Complete             map[string]bool   `json:"complete" db:"complete" doc:"kinds that were read completely; only those can show deletions"`
	Estimate             *v1.Estimate      `json:"estimate" db:"estimate" doc:"the number that the source reports"`
	Warnings             []v1.Warning      `json:"warnings" db:"warnings" nullable:"false"`
	Error                *v1.ErrorDetail   `json:"error" db:"error"`
	Chunks               int               `json:"chunks" db:"chunks"`
	Attempt              int               `json:"attempt" db:"attempt"`
	Resumes              int               `json:"resumes" db:"resumes" doc:"how often the run was taken over and went on"`
	Reread               int64             `json:"reread" db:"reread" doc:"records that were read a second time because of that"`
	Holds                int               `json:"holds" db:"holds" doc:"kinds of change that wait for a decision"`
	HeldUntil            *time.Time        `json:"held_until" db:"held_until" doc:"when the held changes are discarded without a decision"`
	ExecutedBy           *v1.ExecutedBy    `json:"executed_by" db:"executed_by"`
	RequestedBy          json.RawMessage   `json:"requested_by" db:"requested_by"`
	ProgressSeq          int64             `json:"progress_seq" db:"progress_seq"`
	StartedAt            *time.Time        `json:"started_at" db:"started_at"`
	FinishedAt           *time.Time        `json:"finished_at" db:"finished_at"`
	DurationMS           *int64            `json:"duration_ms" db:"duration_ms"`
	CreatedAt            time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt            time.Time         `json:"updated_at" db:"updated_at"`
	Links                map[string]string `json:"links" db:"-"`
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
