package evidence

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery/answer"
)

// Verdicts on evidence.
const (
	Pending  = "pending"
	Accepted = "accepted"
	Rejected = "rejected"

	Unanswered = "unanswered" // of a stored query that could not be answered
)

// MaxFile is the largest size of a file in bytes. Its base64 form must fit into a body.
const MaxFile = 5 << 20

// MitigationEvidence shows that a control was carried out.
type MitigationEvidence struct {
	// ID of the evidence.
	ID string `json:"id" db:"id"`
	// Time at which it was due.
	DueAt time.Time `json:"due_at" db:"due_at"`
	// Kind of evidence. attestation: a text. upload: a file. link: the address of a record. report: a report, as a file
	// or by its address. All can have a text.
	Kind string `json:"kind" db:"kind" enum:"attestation,upload,link,report"`
	// Text of the evidence. Empty if there is only a file.
	Text string `json:"text" db:"text"`
	// Name of the file. Null: there is no file.
	FileName *string `json:"file_name" db:"file_name"`
	// Media type of the file, as it was sent. Null: there is no file.
	MediaType *string `json:"media_type" db:"media_type"`
	// Size of the file in bytes. Null: there is no file.
	Size *int `json:"size" db:"size"`
	// SHA-256 in hexadecimal, of the file, or of the complete result in canonical JSON (RFC 8785). Null: there is
	// neither.
	SHA256 *string `json:"sha256" db:"sha256"`
	// Address of the evidence. Null: there is none.
	URL *string `json:"url" db:"url"`
	// User or service token that provided the evidence.
	ProvidedBy decision.Actor `json:"provided_by" db:"provided_by"`
	// Time it was provided.
	ProvidedAt time.Time `json:"provided_at" db:"provided_at"`
	// Answer to the stored query. Examples about people whom you do not see are omitted. Null: the evidence is of
	// another kind.
	Result *answer.Result `json:"result" db:"result"`
	// Number of examples that are omitted from the result.
	HiddenExamples int `json:"hidden_examples" db:"-"`
	// Verdict of the review. The answer to a query that passed is accepted at once, one that failed is rejected.
	// unanswered: the query could not be answered, see comment.
	Verdict string `json:"verdict" db:"verdict" enum:"pending,accepted,rejected,unanswered"`
	// User or service token that reviewed the evidence. Null: it was not reviewed.
	ReviewedBy *decision.Actor `json:"reviewed_by" db:"reviewed_by"`
	// Time of the review. Null: it was not reviewed.
	ReviewedAt *time.Time `json:"reviewed_at" db:"reviewed_at"`
	// Comment of the review, or the result of a query in words. Empty if there is none.
	Comment string `json:"comment" db:"comment"`
	// Version number of the evidence, for If-Match.
	Version int `json:"version" db:"version"`
}

// NewMitigationEvidence is evidence to be provided.
type NewMitigationEvidence struct {
	// What was done, and when. Required for an attestation.
	Text string `json:"text,omitempty" maxLength:"20000"`
	// Address of a record or report, with http or https. Required if the control needs a link.
	URL string `json:"url,omitempty" maxLength:"2000" format:"uri" example:"https://reports.example.com/payments/2026-07"`
	// File that shows it. Required if the control needs an upload, and if it needs a report and there is no url.
	File *EvidenceFile `json:"file,omitempty"`
}

// EvidenceFile is a file of evidence.
type EvidenceFile struct {
	// Name of the file, without folders.
	Name string `json:"name" minLength:"1" maxLength:"200" example:"payments-2026-07.pdf"`
	// Media type of the file.
	MediaType string `json:"media_type,omitempty" maxLength:"200" example:"application/pdf"`
	// Content of the file in base64, up to 5 MiB.
	Content []byte `json:"content"`
}
