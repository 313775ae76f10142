package fulfil

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Order is an approved item.
type Order struct {
	// ItemID and RequestID are those of the approved item; IdentityID is the beneficiary.
	ItemID        string
	RequestID     string
	Number        string // of the request, for people
	IdentityID    string
	RoleID        *string
	EntitlementID *string
	// AccountID is the account to use. Nil: the person's main one.
	AccountID *string
	Kind      string // ledger.Request or ledger.Emergency
	// StartsAt is when the access begins. Nil: at once.
	StartsAt *time.Time
	// counted from when the target was seen to have it; 0: by EndsAt, or without a limit
	Duration          time.Duration
	EndsAt            *time.Time
	Justification     string
	ExternalReference string
	ApprovedBy        []map[string]any // who agreed, as references
	Parameters        map[string]any
}

// States of a fulfilment.
const (
	Scheduled    = "scheduled"
	Provisioning = "provisioning"
	Fulfilled    = "fulfilled"
	Failed       = "failed" // it stays wanted: when the target takes it after all, it is fulfilled
	Ending       = "ending" // returned, revoked or over, and still in the target
	Closed       = "closed"
)

// Progress is how far an item is.
type Progress struct {
	// ID of the item of the request.
	ItemID string `json:"item_id"`
	// State of the fulfillment.
	State string `json:"state" enum:"scheduled,provisioning,fulfilled,failed,ending,closed"`
	// Entitlements it gives.
	Total int `json:"total"`
	// Of these, those that the targets were seen to have.
	Active int `json:"active"`
	// Of these, those whose change failed.
	FailedOnes int `json:"failed"`
	// IDs of the grants that the item caused.
	GrantIDs []string `json:"grant_ids" nullable:"false"`
	// Provisioning tasks.
	TaskIDs []string `json:"task_ids" nullable:"false"`
	// Time the last grant was confirmed in its target. Null: not yet.
	VerifiedAt *time.Time `json:"verified_at"`
	// Beginning of the access.
	StartsAt *time.Time `json:"starts_at"`
	// End of the access. Null: it has no end.
	EndsAt *time.Time `json:"ends_at"`
	// The message of the target.
	Error map[string]any `json:"error,omitempty"`
	// Why it ended.
	Reason string `json:"reason,omitempty"`
}

// Service follows fulfilments. All fields are needed.
type Service struct {
	DB  *pg.DB
	Log *slog.Logger
	Now func() time.Time
	// Moved is called in the same transaction with the fulfillments whose progress has changed.
	Moved func(ctx context.Context, tx *pg.Tx, moved []Progress) error
}
