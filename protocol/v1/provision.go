package v1

import "time"

// ProvisionOp names one change in a target system.
type ProvisionOp string

// The changes a connector may be asked for.
const (
	OpAccountCreate ProvisionOp = "account.create"
	// attributes that may change without another identity: neither username nor place
	OpAccountUpdate ProvisionOp = "account.update"
	// username, and with it what is derived from it (for LDAP the DN); or the place alone
	OpAccountRename     ProvisionOp = "account.rename"
	OpAccountEnable     ProvisionOp = "account.enable"
	OpAccountDisable    ProvisionOp = "account.disable"
	OpAccountUnlock     ProvisionOp = "account.unlock"
	OpAccountDelete     ProvisionOp = "account.delete"
	OpAccountPassword   ProvisionOp = "account.reset_password"
	OpEntitlementGrant  ProvisionOp = "entitlement.grant"
	OpEntitlementRevoke ProvisionOp = "entitlement.revoke"
)

// ProvisionRequest asks for one change. IdempotencyKey is the same whenever the same change is sent again: an agent
// answers a key it knows from its journal, without touching the target.
//
// Account is for create, update and rename: the members that are set are written, and no others. Attributes are named
// as the target names them; null removes one. EntitlementRemoteIDs names exactly one entitlement for grant and revoke.
type ProvisionRequest struct {
	ConnectorBusinessID string      `json:"connector_business_id"`
	AuthConfig          AuthConfig  `json:"auth_config"`
	IdempotencyKey      string      `json:"idempotency_key"`
	Op                  ProvisionOp `json:"op"`
	// nothing is changed; the answer's Plan is what would be sent
	DryRun               bool              `json:"dry_run,omitempty"`
	Target               ProvisionTarget   `json:"target"`
	Account              *ProvisionAccount `json:"account,omitempty"`
	Credential           *NewCredential    `json:"credential,omitempty"` // for create and reset_password
	EntitlementRemoteIDs []string          `json:"entitlement_remote_ids,omitempty"`
	// the same entitlement with its native reference, where that is known
	Entitlement   *ProvisionTarget  `json:"entitlement,omitempty"`
	PrincipalKind string            `json:"principal_kind,omitempty"` // account
	ExpiresAt     *time.Time        `json:"expires_at,omitempty"`
	Reason        map[string]string `json:"reason,omitempty"` // ids that the target may keep, such as request_id
	Expect        *Expect           `json:"expect,omitempty"`
}

// ProvisionTarget says which record of the target system is meant. RemoteID is its external_id; NativeRef, such as a
// DN, is a hint that saves a search and is never trusted alone.
type ProvisionTarget struct {
	Kind      string `json:"kind"` // account, entitlement
	RemoteID  string `json:"remote_id,omitempty"`
	NativeRef string `json:"native_ref,omitempty"`
	// Username finds an account whose RemoteID is not known: the one that a create was to make.
	Username string `json:"username,omitempty"`
}

// ProvisionAccount is what to write of an account. A nil pointer is not written.
type ProvisionAccount struct {
	Username       *string        `json:"username,omitempty"`
	Email          *string        `json:"email,omitempty"`
	DisplayName    *string        `json:"display_name,omitempty"`
	FirstName      *string        `json:"first_name,omitempty"`
	LastName       *string        `json:"last_name,omitempty"`
	EmployeeNumber *string        `json:"employee_number,omitempty"`
	Enabled        *bool          `json:"enabled,omitempty"`
	Container      *string        `json:"container,omitempty"` // where it is to lie: for LDAP the parent's DN
	Attributes     map[string]any `json:"attributes,omitempty"`
}

// NewCredential says what becomes of the password of a new account, or of one whose password is reset.
type NewCredential struct {
	// none, random: one that is never shown, password: the one in Password
	Mode        string `json:"mode"`
	Password    string `json:"password,omitempty"` // secret
	ForceChange bool   `json:"force_change,omitempty"`
}

// Expect bounds a change to a record as the caller knows it.
type Expect struct {
	Version string `json:"version,omitempty"` // an ETag
}

// Outcome is what became of a change.
type Outcome string

// Outcomes. Already is said only after a look at the target has shown that all is as asked. Unknown says that the
// request may or may not have arrived: the caller must read before trying again.
const (
	OutcomeApplied Outcome = "applied"
	OutcomeAlready Outcome = "already"
	OutcomeNoop    Outcome = "noop" // nothing was asked that differs
	OutcomePending Outcome = "pending"
	OutcomeManual  Outcome = "manual_required"
	OutcomeUnknown Outcome = "unknown"
	OutcomePlanned Outcome = "planned" // of a dry run
)

// Presence says whether the target still has a record that a change or a read named. A record that a read does not show
// is not proven to be gone: it may have been moved out of what the connector reads, or the login may have lost its
// rights.
type Presence string

// Presences. Only PresenceGone ends a task that was to remove something. An empty one is of a connector that does not
// tell: then the absence of a record proves no more than PresenceUnknown does.
const (
	PresencePresent    Presence = "present"     // seen where the connector reads
	PresenceGone       Presence = "gone"        // looked for in all of the target, with a login that sees such records
	PresenceNotVisible Presence = "not_visible" // it exists, outside of what the connector reads
	PresenceUnknown    Presence = "unknown"     // not seen, and not proven to be gone
)

// ProvisionResponse is what became of a change. Success false comes with ErrorDetail, also for OutcomeUnknown.
type ProvisionResponse struct {
	Success bool    `json:"success"`
	Outcome Outcome `json:"outcome"`
	// as read back from the target; nil after a delete, or where it cannot be read
	Account     *RemoteAccount   `json:"account,omitempty"`
	Grant       *GrantState      `json:"grant,omitempty"` // as read back
	Changes     []ChangedField   `json:"changes,omitempty"`
	Plan        []PlannedRequest `json:"plan,omitempty"`     // what was or would be sent, secrets masked
	Verified    bool             `json:"verified"`           // reading back has shown what was asked for
	Presence    Presence         `json:"presence,omitempty"` // of the account that the change named
	Warnings    []Warning        `json:"warnings,omitempty"`
	Error       *string          `json:"error"`
	ErrorDetail *ErrorDetail     `json:"error_detail,omitempty"`
	ExecutedBy  *ExecutedBy      `json:"executed_by,omitempty"`
	Replayed    bool             `json:"replayed,omitempty"` // from an agent's journal: nothing was executed now
}

// GrantState says whether an account holds an entitlement.
type GrantState struct {
	AccountRemoteID     string `json:"account_remote_id"`
	EntitlementRemoteID string `json:"entitlement_remote_id"`
	Held                bool   `json:"held"`
}

// ChangedField is one field before and after. Secrets are never shown.
type ChangedField struct {
	Field string `json:"field"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// PlannedRequest is one request to the target in its own protocol: exactly one of the two members is set.
type PlannedRequest struct {
	HTTP *PlannedHTTP `json:"http,omitempty"`
	LDAP *PlannedLDAP `json:"ldap,omitempty"`
	Note string       `json:"note,omitempty"` // in plain words, such as why it is sent
}

// PlannedHTTP is an HTTP request, with secrets masked.
type PlannedHTTP struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    any               `json:"body,omitempty"`
}

// PlannedLDAP is an LDAP request (RFC 4511), with secrets masked. LDIF is the same as a change record (RFC 2849).
type PlannedLDAP struct {
	Op   string `json:"op"` // add, modify, modify_dn, delete
	DN   string `json:"dn"`
	LDIF string `json:"ldif"`
}

// ReadRequest asks for the present state of a few records, before a change whose outcome is unknown is tried again, and
// to see drift. At most MaxRead targets. With Entitlements, each account's holding of each of them is returned.
type ReadRequest struct {
	ConnectorBusinessID string            `json:"connector_business_id"`
	AuthConfig          AuthConfig        `json:"auth_config"`
	Accounts            []ProvisionTarget `json:"accounts"`
	Entitlements        []ProvisionTarget `json:"entitlements,omitempty"`
}

// MaxRead is how many accounts, and how many entitlements, one ReadRequest may name.
const MaxRead = 100

// ReadResponse is the current state: an answer for each account in the order asked. Grants leaves out a pair of
// account and entitlement about which nothing can be said.
type ReadResponse struct {
	Accounts []ReadAccount `json:"accounts"`
	Grants   []GrantState  `json:"grants,omitempty"`
}

// ReadAccount is one account as it is now; Account is nil when none was seen where the connector reads. Presence says
// what that means.
type ReadAccount struct {
	Target   ProvisionTarget `json:"target"`
	Account  *RemoteAccount  `json:"account"`
	Presence Presence        `json:"presence,omitempty"`
}
