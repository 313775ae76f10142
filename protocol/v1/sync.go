package v1

import "time"

// AuthConfig is the free-form map of connection settings and secrets that a connector gets with each call.
// Its keys depend on the connector's type; see the connector's Fields.
type AuthConfig map[string]any

// SyncRequest asks a connector to read its target system.
type SyncRequest struct {
	ConnectorBusinessID string       `json:"connector_business_id"`
	Incremental         bool         `json:"incremental"`
	LastSyncAt          *time.Time   `json:"last_sync_at"`
	AuthConfig          AuthConfig   `json:"auth_config"`
	Options             *SyncOptions `json:"options,omitempty"`
}

// SyncOptions are the optional wishes of the caller. A connector may ignore any of them but MaxRecords,
// which the caller enforces by itself as well.
type SyncOptions struct {
	RequestID      string       `json:"request_id,omitempty"`
	SyncRunID      string       `json:"sync_run_id,omitempty"`
	ChunkSize      int          `json:"chunk_size,omitempty"`  // records in one page at most
	MaxRecords     *int         `json:"max_records,omitempty"` // identities at most, and accounts at most; nil: no cap
	Objects        []ObjectKind `json:"objects,omitempty"`     // kinds wanted; empty: all
	Mode           SyncMode     `json:"mode,omitempty"`
	DeadlineAt     *time.Time   `json:"deadline_at,omitempty"`
	FieldAllowlist []string     `json:"field_allowlist,omitempty"` // raw attributes wanted; empty: all
	Cursor         string       `json:"cursor,omitempty"`          // incremental position of the last run
	Checkpoint     string       `json:"checkpoint,omitempty"`      // resume position inside this run
	PageToken      string       `json:"page_token,omitempty"`      // the previous answer's Page.NextPageToken
}

// SyncMode says what a read is for.
type SyncMode string

// Modes of a read.
const (
	ModeRead     SyncMode = "read"
	ModeDiscover SyncMode = "discover"
	ModeTest     SyncMode = "test"
)

// ObjectKind names one of the four kinds of record.
type ObjectKind string

// The kinds of record, in the words of SyncResponse.
const (
	Identities   ObjectKind = "identities"
	Accounts     ObjectKind = "accounts"
	Entitlements ObjectKind = "entitlements"
	Grants       ObjectKind = "grants"
)

// SyncResponse is one page of what was read. The four arrays are always present on the wire, possibly empty.
// Success false means that nothing of this page may be applied and that absence proves nothing.
type SyncResponse struct {
	Success      bool                `json:"success"`
	Identities   []RemoteIdentity    `json:"identities"`
	Accounts     []RemoteAccount     `json:"accounts"`
	Entitlements []RemoteEntitlement `json:"entitlements"`
	Grants       []RemoteGrant       `json:"grants"`
	Error        *string             `json:"error"`
	Page         *Page               `json:"page,omitempty"`
	ErrorDetail  *ErrorDetail        `json:"error_detail,omitempty"`
}

// Len is the number of records in the page, all kinds together.
func (r *SyncResponse) Len() int {
	return len(r.Identities) + len(r.Accounts) + len(r.Entitlements) + len(r.Grants)
}

// Page places a SyncResponse in a longer read. Without it an answer is one whole page, complete for the arrays it
// carries when the request was not incremental.
type Page struct {
	HasMore       bool   `json:"has_more"`
	NextPageToken string `json:"next_page_token,omitempty"` // at most 4 KiB
	// at most 64 KiB, opaque; what came up to here need not be read again
	Checkpoint string     `json:"checkpoint,omitempty"`
	Cursor     string     `json:"cursor,omitempty"` // at most 64 KiB, opaque; last page only
	Scopes     []Scope    `json:"scopes,omitempty"`
	Stats      *Stats     `json:"stats,omitempty"`
	Warnings   []Warning  `json:"warnings,omitempty"` // at most 100
	Estimate   *Estimate  `json:"estimate,omitempty"`
	Watermark  *time.Time `json:"watermark,omitempty"` // greatest source time seen; never the reader's clock
	Read       *Read      `json:"read,omitempty"`      // how the target was read
	Present    []Present  `json:"present,omitempty"`   // what is still there, without its content
}

// Read says how a target was read. Without it an answer to an incremental request is taken for one that brings changes
// only.
type Read struct {
	Incremental bool `json:"incremental"`
	// how changes were found, such as ldap_syncrepl; "full": everything was read
	Strategy       string `json:"strategy"`
	FallbackReason string `json:"fallback_reason,omitempty"` // why everything was read though changes were asked for
}

// Present names records of a kind that are still in the target. It stands for them where a scope attests completeness,
// so that what has gone can be found without moving what has not changed. One page names at most MaxPresent of them.
type Present struct {
	Kind        ObjectKind `json:"kind"`
	ExternalIDs []string   `json:"external_ids"`
}

// MaxPresent is the number of records that the Present of one page may name, all kinds together.
const MaxPresent = 10000

// Scope attests that all records of a kind under a key were read. Only what lies in a complete scope and was not seen
// may be taken for gone. Seen is what came as a record or was named by Present. Count is the number of records seen in
// the whole run, also before a resume.
//
// Keys: "*" is everything of the kind and stands on the last page. "entitlement:<external_id>" and
// "account:<external_id>" are the grants of one entitlement or account; they stand on the page that brings the last of
// them, or on a later one.
type Scope struct {
	Kind     ObjectKind `json:"kind"`
	Key      string     `json:"key"`
	Complete bool       `json:"complete"`
	Count    int        `json:"count"`
}

// Stats are running totals of a read.
type Stats struct {
	Pages      int   `json:"pages"`
	APICalls   int   `json:"api_calls"`
	RateWaitMS int64 `json:"rate_wait_ms"`
	Skipped    int   `json:"skipped"`
	Warnings   int   `json:"warnings"`
}

// Warning reports something that did not stop the read.
type Warning struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	ExternalID string `json:"external_id,omitempty"`
}

// Estimate is the number that the source reports, where it says so.
type Estimate struct {
	Identities   *int `json:"identities,omitempty"`
	Accounts     *int `json:"accounts,omitempty"`
	Entitlements *int `json:"entitlements,omitempty"`
	Grants       *int `json:"grants,omitempty"`
}

// Progress reports how far a running call is. It is advice: only acknowledged pages count as recorded.
type Progress struct {
	Phase         string     `json:"phase,omitempty"` // connect, users, groups, roles, memberships, finalize
	Message       string     `json:"message,omitempty"`
	Step          *TestStep  `json:"step,omitempty"` // one finished step of a connection test
	RateWaitUntil *time.Time `json:"rate_wait_until,omitempty"`
}

// Normalize gives empty arrays for nil ones, as the wire wants all four present.
func (r *SyncResponse) Normalize() {
	if r.Identities == nil {
		r.Identities = []RemoteIdentity{}
	}
	if r.Accounts == nil {
		r.Accounts = []RemoteAccount{}
	}
	if r.Entitlements == nil {
		r.Entitlements = []RemoteEntitlement{}
	}
	if r.Grants == nil {
		r.Grants = []RemoteGrant{}
	}
}
