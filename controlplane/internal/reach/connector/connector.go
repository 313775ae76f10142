package connector

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/health"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/summary"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Funnel states: a connector is bootstrapped when it is made, and connected once its first run has succeeded.
const (
	Bootstrapped = "bootstrapped"
	Connected    = "connected"
)

// Connector is one instance of a connection to a target system, as it is shown. Each environment of a target is one of
// its own.
type Connector struct {
	// ID of the connector, a UUID.
	ID string `json:"id" db:"id"`
	// The connector_business_id of the protocol; never changes.
	BusinessID string `json:"business_id" db:"business_id"`
	// Display name of the connector.
	Name string `json:"name" db:"name"`
	// Description of the connector; empty if there is none.
	Description string `json:"description" db:"description"`
	// Type of the connector: scim2, ldap, rest, custom or vendor; see /connectors/types.
	Type string `json:"type" db:"type"`
	// Key of the vendor's entry in /connectors/types; null unless the type is vendor.
	VendorKey *string `json:"vendor_key" db:"vendor_key"`
	// Where the connector runs. hosted: in the control plane. agent: in an agent.
	Mode string `json:"mode" db:"mode" enum:"hosted,agent"`
	// ID of the agent that runs the connector; null if it is hosted or uses a group.
	AgentID *string `json:"agent_id" db:"agent_id"`
	// Group whose agents run the connector; null if it is hosted or uses one agent.
	AgentGroup *string `json:"agent_group" db:"agent_group"`
	// Environment of the system that the connector serves: production, staging, test, dev or other.
	Environment string `json:"environment" db:"environment"`
	// Kinds of records that are read. source: identities. target: accounts, entitlements and grants. both: all of
	// these.
	Purpose string `json:"purpose" db:"purpose"`
	// Which source decides where several have a record of a person: for each field, the filled record of the lowest
	// rank. It takes effect within five minutes.
	AuthorityRank int `json:"authority_rank" db:"authority_rank"`
	// Settings that may be shown.
	Connection map[string]any `json:"connection" db:"connection"`
	// Which secrets are set. Their values are never shown.
	Credentials map[string]Credential `json:"credentials" db:"-"`
	// Status of the connector. draft: settings may be incomplete. ready: no sync has succeeded yet. active: a sync has
	// succeeded. paused, disabled: stopped by a person. degraded: three runs failed in a row. quarantined: not run
	// until a person clears it.
	Status string `json:"status" db:"status" enum:"draft,ready,active,paused,degraded,quarantined,disabled,deleted"`
	// Why the connector has its status; null if no reason is recorded.
	StatusReason *string `json:"status_reason" db:"status_reason"`
	// State of the connector: bootstrapped until its first sync run succeeds, connected from then on.
	FunnelState string `json:"funnel_state" db:"funnel_state" enum:"bootstrapped,connected"`
	// Result of the last connection test of the saved settings; null if there was none.
	LastTest *LastTest `json:"last_test" db:"-"`
	// ID of the last sync run that succeeded or failed, without previews; null if there was none.
	LastRunID *string `json:"last_run_id" db:"last_run_id"`
	// Time the last successful sync run ended; null if there was none.
	LastSuccessAt *time.Time `json:"last_success_at" db:"last_success_at"`
	// The schedule. Null: syncs are started by hand only. See PUT /connectors/{id}/schedule.
	Schedule *health.ConnectorSchedule `json:"schedule" db:"schedule"`
	// Time of the next scheduled sync run; null without a schedule or unless the status is ready, active or degraded.
	NextRunAt *time.Time `json:"next_run_at" db:"next_run_at"`
	// Health of the connector: its status, and how reading and writing work.
	Health health.ConnectorHealth `json:"health" db:"-"`
	// With expand=runs, on the list: the last 14, the newest last.
	LastRuns *[]summary.ConnectorRun `json:"last_runs,omitempty" db:"-" nullable:"false"`
	// With expand=counts, on the list.
	Counts *summary.ConnectorCounts `json:"counts,omitempty" db:"-"`
	// Labels of the connector, by name.
	Labels map[string]string `json:"labels" db:"labels"`
	// Time the connector was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the connector was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the connector, for the If-Match header.
	Version int `json:"version" db:"version"`

	// Time the connector was deleted; null if it was not.
	DeletedAt *time.Time `json:"deleted_at" db:"deleted_at"`
	// Of a deleted connector: until when it can be restored.
	RestorableUntil *time.Time `json:"restorable_until" db:"-"`
}

// Credential is what is shown of a secret.
type Credential struct {
	// True if the secret is set. Secrets that are not set are not listed.
	Set bool `json:"set"`
	// When the connector's secrets were last written.
	UpdatedAt time.Time `json:"updated_at"`
}

// LastTest is how the last connection test ended.
type LastTest struct {
	// Time the connection test ended.
	At time.Time `json:"at"`
	// True if the connection test succeeded.
	Success bool `json:"success"`
	// False when settings or secrets have changed since.
	Current bool `json:"current"`
	// Duration of the connection test in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// Where the connection test ran. hosted: in the control plane. agent: in an agent.
	ExecutedBy string `json:"executed_by" enum:"hosted,agent"`
	// Why the connection test failed; null if it succeeded.
	Error *TestError `json:"error"`
}

// TestError is why a connection test failed.
type TestError struct {
	// Class of the error, such as auth, config or transient.
	Class v1.ErrorClass `json:"class"`
	// Stable code of the error, such as http_401 or tls_unknown_authority.
	Code string `json:"code"`
	// Message of the error, for people.
	Message string `json:"message"`
}

// NewConnector is the payload that makes a connector.
type NewConnector struct {
	// Settings may be missing yet; they are given later by PATCH.
	Draft bool `json:"draft,omitempty"`
	// Lower-case letters and digits, with - _ . in between. The default is made from the name.
	BusinessID string `json:"business_id,omitempty" maxLength:"64"`
	// Display name of the connector.
	Name string `json:"name" minLength:"1" maxLength:"200"`
	// Description of the connector.
	Description string `json:"description,omitempty" maxLength:"2000"`
	// Labels of the connector, by name.
	Labels map[string]string `json:"labels,omitempty"`
	// Environment of the system that the connector serves: production, staging, test, dev or other.
	Environment string `json:"environment,omitempty" enum:"production,staging,test,dev,other" default:"production"`
	// Kinds of records that are read. source: identities. target: accounts, entitlements and grants. both: all of
	// these.
	Purpose string `json:"purpose,omitempty" enum:"both,source,target" default:"both"`
	// The default is 100. The lowest rank applies.
	AuthorityRank *int `json:"authority_rank,omitempty" minimum:"0" maximum:"10000"`
	connection.Settings
}

// ConnectorPatch changes a connector by merge patch (RFC 7396).
type ConnectorPatch struct {
	// Display name of the connector.
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	// Description of the connector.
	Description *string `json:"description,omitempty" maxLength:"2000" nullable:"true"`
	// Labels of the connector, by name. Null removes a label; an absent one stays.
	Labels map[string]*string `json:"labels,omitempty"`
	// Environment of the system that the connector serves: production, staging, test, dev or other.
	Environment *string `json:"environment,omitempty" enum:"production,staging,test,dev,other"`
	// Kinds of records that are read. source: identities. target: accounts, entitlements and grants. both: all of
	// these.
	Purpose *string `json:"purpose,omitempty" enum:"both,source,target"`
	// Rank of the connector where several sources have a record of a person. The lowest rank applies.
	AuthorityRank *int `json:"authority_rank,omitempty" minimum:"0" maximum:"10000"`
	// Where the connector runs. hosted: in the control plane; this clears agent_id and agent_group. agent: in an agent.
	Mode *string `json:"mode,omitempty" enum:"hosted,agent"`
	// Takes the place of agent_group.
	AgentID *string `json:"agent_id,omitempty" nullable:"true"`
	// Takes the place of agent_id.
	AgentGroup *string `json:"agent_group,omitempty" nullable:"true"`
	// Settings to change: null clears a setting, an absent one stays.
	Connection map[string]any `json:"connection,omitempty"`
	// Secrets to change: null clears a secret, an absent one stays. All of them are required again after a change of
	// the target's address, of its certificate check, of the mode or of the agent.
	Credentials map[string]any `json:"credentials,omitempty"`

	// Let the stored credentials go along where the change has them sent elsewhere. Only for administrators who have
	// signed in; it is audited.
	ReleaseCredentials bool `json:"release_credentials,omitempty"`
}
