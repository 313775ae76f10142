package connector

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
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
	ID string `json:"id" db:"id"`
	// The connector_business_id of the protocol; never changes.
	BusinessID  string `json:"business_id" db:"business_id"`
	Name        string `json:"name" db:"name"`
	Description string `json:"description" db:"description"`
	// scim2, ldap, rest, custom or vendor; see /connectors/types.
	Type        string  `json:"type" db:"type"`
	VendorKey   *string `json:"vendor_key" db:"vendor_key"`
	Mode        string  `json:"mode" db:"mode" enum:"hosted,agent"`
	AgentID     *string `json:"agent_id" db:"agent_id"`
	AgentGroup  *string `json:"agent_group" db:"agent_group"`
	Environment string  `json:"environment" db:"environment"`
	Purpose     string  `json:"purpose" db:"purpose"`
	// Which source decides where several have a record of a person: for each field, the filled record of the lowest
	// rank. It takes effect within five minutes.
	AuthorityRank int `json:"authority_rank" db:"authority_rank"`
	// Settings that may be shown.
	Connection map[string]any `json:"connection" db:"connection"`
	// Which secrets are set. Their values are never shown.
	Credentials   map[string]Credential `json:"credentials" db:"-"`
	Status        string                `json:"status" db:"status" enum:"draft,ready,active,paused,degraded,quarantined,disabled,deleted"`
	StatusReason  *string               `json:"status_reason" db:"status_reason"`
	FunnelState   string                `json:"funnel_state" db:"funnel_state" enum:"bootstrapped,connected"`
	LastTest      *LastTest             `json:"last_test" db:"-"`
	LastRunID     *string               `json:"last_run_id" db:"last_run_id"`
	LastSuccessAt *time.Time            `json:"last_success_at" db:"last_success_at"`
	// The schedule. Null: syncs are started by hand only. See PUT /connectors/{id}/schedule.
	Schedule  *ConnectorSchedule `json:"schedule" db:"schedule"`
	NextRunAt *time.Time         `json:"next_run_at" db:"next_run_at"`
	Health    ConnectorHealth    `json:"health" db:"-"`
	// With expand=runs, on the list: the last 14, the newest last.
	LastRuns *[]summary.ConnectorRun `json:"last_runs,omitempty" db:"-" nullable:"false"`
	// With expand=counts, on the list.
	Counts    *summary.ConnectorCounts `json:"counts,omitempty" db:"-"`
	Labels    map[string]string        `json:"labels" db:"labels"`
	CreatedAt time.Time                `json:"created_at" db:"created_at"`
	UpdatedAt time.Time                `json:"updated_at" db:"updated_at"`
	Version   int                      `json:"version" db:"version"`

	DeletedAt *time.Time `json:"deleted_at" db:"deleted_at"`
	// Of a deleted connector: until when it can be restored.
	RestorableUntil *time.Time `json:"restorable_until" db:"-"`
}

// Credential is what is shown of a secret.
type Credential struct {
	Set bool `json:"set"`
	// When the connector's secrets were last written.
	UpdatedAt time.Time `json:"updated_at"`
}

// LastTest is how the last connection test ended.
type LastTest struct {
	At      time.Time `json:"at"`
	Success bool      `json:"success"`
	// False when settings or secrets have changed since.
	Current    bool       `json:"current"`
	DurationMS int64      `json:"duration_ms"`
	ExecutedBy string     `json:"executed_by" enum:"hosted,agent"`
	Error      *TestError `json:"error"`
}

// TestError is why a connection test failed.
type TestError struct {
	Class   v1.ErrorClass `json:"class"`
	Code    string        `json:"code"`
	Message string        `json:"message"`
}

// NewConnector is the payload that makes a connector.
type NewConnector struct {
	// Settings may be missing yet; they are given later by PATCH.
	Draft bool `json:"draft,omitempty"`
	// Lower-case letters and digits, with - _ . in between. The default is made from the name.
	BusinessID  string            `json:"business_id,omitempty" maxLength:"64"`
	Name        string            `json:"name" minLength:"1" maxLength:"200"`
	Description string            `json:"description,omitempty" maxLength:"2000"`
	Labels      map[string]string `json:"labels,omitempty"`
	Environment string            `json:"environment,omitempty" enum:"production,staging,test,dev,other" default:"production"`
	// source: its people count; target: its accounts and rights count.
	Purpose string `json:"purpose,omitempty" enum:"both,source,target" default:"both"`
	// The default is 100. The lowest rank applies.
	AuthorityRank *int `json:"authority_rank,omitempty" minimum:"0" maximum:"10000"`
	connection.Settings
}

// ConnectorPatch changes a connector by merge patch (RFC 7396).
type ConnectorPatch struct {
	Name          *string            `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Description   *string            `json:"description,omitempty" maxLength:"2000" nullable:"true"`
	Labels        map[string]*string `json:"labels,omitempty"`
	Environment   *string            `json:"environment,omitempty" enum:"production,staging,test,dev,other"`
	Purpose       *string            `json:"purpose,omitempty" enum:"both,source,target"`
	AuthorityRank *int               `json:"authority_rank,omitempty" minimum:"0" maximum:"10000"`
	Mode          *string            `json:"mode,omitempty" enum:"hosted,agent"`
	// Takes the place of agent_group.
	AgentID *string `json:"agent_id,omitempty" nullable:"true"`
	// Takes the place of agent_id.
	AgentGroup *string `json:"agent_group,omitempty" nullable:"true"`
	// null clears a setting, an absent one stays.
	Connection map[string]any `json:"connection,omitempty"`
	// null clears a secret, an absent one stays. A change of the target's address, of the check of its certificate, of
	// the mode or of the agent asks for all of them again.
	Credentials map[string]any `json:"credentials,omitempty"`

	// Let the stored credentials go along where the change has them sent elsewhere. Only for administrators who have
	// signed in; it is audited.
	ReleaseCredentials bool `json:"release_credentials,omitempty"`
}
