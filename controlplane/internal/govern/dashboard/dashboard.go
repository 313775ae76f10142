package dashboard

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Dashboard is what GET /dashboard answers. What the caller's roles do not show is left out.
type Dashboard struct {
	// When this was counted.
	At time.Time `json:"at"`
	// Numbers of people, accounts, entitlements and roles that the caller can list.
	Figures DashboardFigures `json:"figures"`
	// Setup progress of the tenant, and the number of people with linked accounts.
	Funnel DashboardFunnel `json:"funnel"`
	// What waits for the caller's own decision.
	Inbox tasklist.DecisionWaiting `json:"inbox"`
	// The requests that you submitted, or that were submitted for you.
	Requests DashboardRequests `json:"requests"`
	// Number of failed changes in target systems.
	Provisioning DashboardProvisioning `json:"provisioning"`

	// What should be done, the most serious first. Findings about systems are for administrators and auditors.
	Findings []DashboardFinding `json:"findings" nullable:"false"`

	// For administrators and auditors, like all that follows.
	Connectors *DashboardConnectors `json:"connectors,omitempty"`
	// Sync runs of the last 24 hours, for administrators and auditors.
	Runs *DashboardRuns `json:"runs,omitempty"`
	// Sync runs that wait for a decision, for administrators and auditors.
	Held *DashboardHeld `json:"held,omitempty"`
	// Numbers of agents by presence, for administrators and auditors.
	Agents *agents.AgentPresence `json:"agents,omitempty"`
	// First steps of the tenant and whether they are done, for administrators and auditors.
	Checklist *DashboardChecklist `json:"checklist,omitempty"`
}

// DashboardFigures count what the caller may list.
type DashboardFigures struct {
	// Numbers of people, by status.
	People identity.PeopleFigures `json:"people"`
	// Numbers of accounts, by the state of their owner, and of drifted accounts.
	Accounts DashboardAccounts `json:"accounts"`
	// Numbers of entitlements.
	Access grant.AccessFigures `json:"access"`
	// Numbers of roles.
	Roles role.RoleFigures `json:"roles"`
}

// DashboardAccounts are the figures of accounts.
type DashboardAccounts struct {
	account.AccountFigures
	// Number of managed accounts that differ from their account template.
	Drifted int64 `json:"drifted"`
}

// DashboardFunnel is how far the tenant has come, and how many people have.
type DashboardFunnel struct {
	// Connected once the first run of any connector has succeeded.
	State string `json:"state" enum:"bootstrapped,connected"`
	// People who are known.
	Bootstrapped int64 `json:"bootstrapped"`
	// Of those, people with an account that is linked to them.
	Connected int64 `json:"connected"`
}

// DashboardRequests count access requests of the caller's own.
type DashboardRequests struct {
	// Neither given, refused, withdrawn nor expired.
	Open int64 `json:"open"`
	// Of these, the requests that still wait for an approval.
	Waiting int64 `json:"waiting"`
}

// DashboardProvisioning counts changes of target systems.
type DashboardProvisioning struct {
	// Of the tasks that the caller may list, those that failed for good.
	Failed int64 `json:"failed"`
}

// DashboardConnectors is the health of the connections to target systems.
type DashboardConnectors struct {
	// Number of connectors. Deleted connectors do not count.
	Total int64 `json:"total"`
	// Number of connectors in each status, in alphabetical order of the status.
	ByStatus []DashboardStatus `json:"by_status" nullable:"false"`
	// Number of failing connectors, including those that failing does not list.
	FailingTotal int64 `json:"failing_total"`
	// Degraded, quarantined, with a last run that failed, or with an open circuit breaker; the one that has failed for
	// longest first, at most 50.
	Failing []DashboardFailing `json:"failing" nullable:"false"`
	// By name; at most 500. Runs belong to one of these.
	Items []DashboardConnectorRef `json:"items" nullable:"false"`
}

// DashboardStatus counts connectors in a status.
type DashboardStatus struct {
	// Status of the connectors: draft, ready, active, paused, degraded, quarantined or disabled.
	Status string `json:"status"`
	// Number of connectors in this status.
	Count int64 `json:"count"`
}

// DashboardConnectorRef names a connector.
type DashboardConnectorRef struct {
	// ID of the connector.
	ID string `json:"id"`
	// Display name of the connector.
	Name string `json:"name"`
	// Status of the connector: draft, ready, active, paused, degraded, quarantined or disabled.
	Status string `json:"status"`
}

// DashboardFailing is a connector that needs attention.
type DashboardFailing struct {
	// ID of the connector.
	ID string `json:"id" db:"id"`
	// Display name of the connector.
	Name string `json:"name" db:"name"`
	// Status of the connector: draft, ready, active, paused, degraded, quarantined or disabled.
	Status string `json:"status" db:"status"`
	// When the first run failed after the last that succeeded, or when it came into its status.
	Since time.Time `json:"since" db:"since"`
	// What fails. reading: syncs. writing: the circuit breaker is open, and nothing is sent until writes are resumed.
	Area string `json:"area" db:"area" enum:"reading,writing"`
	// The last run that failed.
	RunID *string `json:"run_id" db:"run_id"`
	// Error code of the last run. Null: the last run did not fail, or its error has no code.
	ErrorCode *string `json:"error_code" db:"error_code"`
	// The message of the target, cut to 500 characters; or why the connector is in its status.
	ErrorSummary *string `json:"error_summary" db:"error_summary"`
}

// DashboardRuns are the runs that were going on within the last 24 hours.
type DashboardRuns struct {
	// Start of the period, 24 hours ago. Runs that finished earlier are not listed.
	Since time.Time `json:"since"`
	// The newest first, at most 500.
	Items []DashboardRun `json:"items" nullable:"false"`
	// There were more.
	Truncated bool `json:"truncated"`
}

// DashboardRun is a run, in short.
type DashboardRun struct {
	// ID of the sync run.
	ID string `json:"id" db:"id"`
	// ID of the connector of the sync run.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// Display name of the connector.
	ConnectorName string `json:"connector_name" db:"connector_name"`
	// Status of the sync run, such as queued, running, held, succeeded, partial or failed.
	Status string `json:"status" db:"status"`
	// Origin of the sync run: api, manual, schedule or wizard.
	Trigger string `json:"trigger" db:"trigger"`
	// Mode of the sync run. apply: changes are applied. preview: changes are only reported.
	Mode string `json:"mode" db:"mode" enum:"apply,preview"`
	// Time the sync run started. Null while it waits.
	StartedAt *time.Time `json:"started_at" db:"started_at"`
	// Time the sync run finished. Null until it has finished.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// Time the sync run was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
}

// DashboardHeld are runs with changes that wait for a decision.
type DashboardHeld struct {
	// Number of held sync runs, including those that items does not list.
	Total int64 `json:"total"`
	// The one that is discarded first, first; at most 20.
	Items []DashboardHeldRun `json:"items" nullable:"false"`
}

// DashboardHeldRun is one of them.
type DashboardHeldRun struct {
	// ID of the held sync run.
	ID string `json:"id" db:"id"`
	// ID of the connector of the sync run.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// Display name of the connector.
	ConnectorName string `json:"connector_name" db:"connector_name"`
	// Time at which the held changes are discarded without a decision.
	HeldUntil *time.Time `json:"held_until" db:"held_until"`
}

// DashboardChecklist are the first steps of a tenant.
type DashboardChecklist struct {
	// A connector has been made whole.
	SystemConnected bool `json:"system_connected"`
	// A sync run of a connector has succeeded.
	FirstSyncDone bool `json:"first_sync_done"`
	// An agent is online, or a hosted connector is active.
	ReachHealthy bool `json:"reach_healthy"`
	// A sector pack is installed.
	SectorPackInstalled bool `json:"sector_pack_installed"`
	// The tenant has more than one user. Invited users count.
	SecondUserInvited bool `json:"second_user_invited"`
	// All of them.
	Complete bool `json:"complete"`
}
