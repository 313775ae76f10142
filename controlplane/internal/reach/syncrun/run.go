package syncrun

import (
	"encoding/json"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Status is the state of a run.
type Status string

// States of a run. The first four are active: a connector has one active run at most.
const (
	Queued       Status = "queued"
	WaitingAgent Status = "waiting_agent"
	Running      Status = "running"
	Applying     Status = "applying"
	Succeeded    Status = "succeeded"
	Partial      Status = "partial" // read and applied, but some records were set aside or the reading was capped
	Failed       Status = "failed"
	Cancelled    Status = "cancelled"
)

// Ended reports whether a run in this state is over.
func (s Status) Ended() bool {
	return s == Succeeded || s == Partial || s == Failed || s == Cancelled
}

// Counters count the records of a run. The first four are the specification's.
type Counters struct {
	IdentitiesRead     int64 `json:"identities_read"`
	AccountsDiscovered int64 `json:"accounts_discovered"`
	EntitlementsMapped int64 `json:"entitlements_mapped"`
	GrantsRecorded     int64 `json:"grants_recorded"`
	Created            int64 `json:"created"`
	Updated            int64 `json:"updated"`
	Unchanged          int64 `json:"unchanged"`
	Inherited          int64 `json:"inherited_grants"`
	Linked             int64 `json:"accounts_linked"`
	Unresolved         int64 `json:"unresolved_references"`
	Skipped            int64 `json:"skipped" doc:"records that were set aside whole"`
	Errors             int64 `json:"errors" doc:"records or values that could not be used; see links.errors"`
}

// add sums up.
func (c *Counters) add(o Counters) {
	c.IdentitiesRead += o.IdentitiesRead
	c.AccountsDiscovered += o.AccountsDiscovered
	c.EntitlementsMapped += o.EntitlementsMapped
	c.GrantsRecorded += o.GrantsRecorded
	c.Created += o.Created
	c.Updated += o.Updated
	c.Unchanged += o.Unchanged
	c.Inherited += o.Inherited
	c.Linked += o.Linked
	c.Unresolved += o.Unresolved
	c.Skipped += o.Skipped
	c.Errors += o.Errors
}

// Run is one reading of a target system.
type Run struct {
	ID                   string            `json:"id" db:"id"`
	ConnectorID          string            `json:"connector_id" db:"connector_id"`
	ConnectorBusinessID  string            `json:"connector_business_id" db:"business_id"`
	Trigger              string            `json:"trigger" db:"trigger" doc:"api, manual, schedule, wizard"`
	Mode                 string            `json:"connector_mode" db:"mode"`
	Incremental          bool              `json:"incremental" db:"incremental" doc:"as asked for"`
	EffectiveIncremental bool              `json:"effective_incremental" db:"effective_incremental" doc:"as done"`
	FallbackReason       *string           `json:"fallback_reason" db:"fallback_reason" doc:"why an incremental run was done in full"`
	MaxRecords           *int              `json:"max_records" db:"max_records"`
	ChunkSize            int               `json:"chunk_size" db:"chunk_size"`
	CallbackURL          *string           `json:"callback_url" db:"callback_url"`
	CallbackState        *string           `json:"callback_state" db:"callback_state" doc:"of the last callback: pending, delivered, failed"`
	CallbackError        *string           `json:"callback_error" db:"callback_error"`
	Status               Status            `json:"status" db:"status"`
	Phase                string            `json:"phase" db:"phase"`
	Counters             Counters          `json:"counters" db:"counters"`
	Complete             map[string]bool   `json:"complete" db:"complete" doc:"which kinds were read to their end"`
	Estimate             *v1.Estimate      `json:"estimate" db:"estimate" doc:"what the source says it holds"`
	Warnings             []v1.Warning      `json:"warnings" db:"warnings" nullable:"false"`
	Error                *v1.ErrorDetail   `json:"error" db:"error"`
	Chunks               int               `json:"chunks" db:"chunks"`
	Attempt              int               `json:"attempt" db:"attempt"`
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
	r.Links = map[string]string{"self": self, "events": self + "/events", "errors": self + "/errors", "cancel": self + "/cancel"}
	if r.Warnings == nil {
		r.Warnings = []v1.Warning{}
	}
	if r.Complete == nil {
		r.Complete = map[string]bool{}
	}
}

// Progress is what the event stream and the callback tell.
type Progress struct {
	Event               string          `json:"event"` // sync.progress, sync.completed, sync.failed, sync.cancelled
	RunID               string          `json:"run_id"`
	ConnectorID         string          `json:"connector_id"`
	ConnectorBusinessID string          `json:"connector_business_id"`
	Seq                 int64           `json:"seq"`
	At                  time.Time       `json:"at"`
	Status              Status          `json:"status"`
	Phase               string          `json:"phase"`
	Counters            Counters        `json:"counters"`
	Estimate            *v1.Estimate    `json:"estimate,omitempty"`
	Chunks              int             `json:"chunks"`
	StartedAt           *time.Time      `json:"started_at"`
	FinishedAt          *time.Time      `json:"finished_at,omitempty"`
	Message             string          `json:"message,omitempty"`
	Error               *v1.ErrorDetail `json:"error_detail,omitempty"`
}

// progress is the run as its listeners see it.
func (r *Run) progress(now time.Time) Progress {
	p := Progress{
		Event: "sync.progress", RunID: r.ID, ConnectorID: r.ConnectorID, ConnectorBusinessID: r.ConnectorBusinessID, Seq: r.ProgressSeq,
		At: now.UTC(), Status: r.Status, Phase: r.Phase, Counters: r.Counters, Estimate: r.Estimate, Chunks: r.Chunks,
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, Error: r.Error,
	}
	switch r.Status {
	case Succeeded, Partial:
		p.Event = "sync.completed"
	case Failed:
		p.Event = "sync.failed"
	case Cancelled:
		p.Event = "sync.cancelled"
	}
	if r.Error != nil {
		p.Message = r.Error.Message
	}
	return p
}
