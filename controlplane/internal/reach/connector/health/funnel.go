package health

import (
	"time"
)

// Funnel is how far a tenant has come with its connectors: connected once the first run of any of them has succeeded,
// and from then on, also when that one is deleted.
type Funnel struct {
	// State of the tenant: connected once a sync run of any connector has succeeded, even if that connector was deleted
	// later; bootstrapped before that.
	State string `json:"state" enum:"bootstrapped,connected"`
	// Connectors that are not deleted, the oldest first.
	PerConnector []FunnelConnector `json:"per_connector" nullable:"false"`
}

// FunnelConnector is how far one connector is.
type FunnelConnector struct {
	// ID of the connector, a UUID.
	ID string `json:"id"`
	// Business ID of the connector; it never changes.
	BusinessID string `json:"business_id"`
	// Display name of the connector.
	Name string `json:"name"`
	// State of the connector: bootstrapped until its first sync run succeeds, connected from then on.
	State string `json:"state" db:"funnel_state" enum:"bootstrapped,connected"`
	// Status of the connector, as in GET /connectors/{id}.
	Status string `json:"status"`
	// ID of the last sync run that succeeded or failed, without previews; null if there was none.
	LastRunID *string `json:"last_run_id"`
	// Time the last successful sync run ended; null if there was none.
	LastSuccessAt *time.Time `json:"last_success_at"`
}
