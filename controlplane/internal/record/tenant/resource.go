package tenant

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/tenant/preferences"
)

// Tenancy is a tenant in the API.
type Tenancy struct {
	// ID of the tenant.
	ID string `json:"id"`
	// Slug of the tenant, part of its address.
	Slug string `json:"slug" example:"acme"`
	// Display name of the tenant.
	Name string `json:"name"`
	// Where its data is kept, in the operator's words.
	Region string `json:"region"`
	// Where the tenant is reached; a token of another tenant is not accepted there.
	BaseURL string `json:"base_url" example:"https://iga.example.com/t/acme"`
	// Status of the tenant. A closing tenant is deleted after its grace period.
	Status Status `json:"status" enum:"active,suspended,closing"`
	// Why an operator has suspended or closed it.
	StatusReason *string `json:"status_reason" nullable:"true"`
	// How far the tenant has come.
	FunnelState Stage `json:"funnel_state" enum:"bootstrapped,connected"`
	// Limits of the tenant.
	Limits preferences.Limits `json:"limits"`
	// Settings of the tenant.
	Settings preferences.Preferences `json:"settings"`
	// Time the tenant was closed. Null if it was not closed.
	ClosedAt *time.Time `json:"closed_at" nullable:"true"`
	// From then on everything that belongs to the closing tenant is deleted, and it cannot be opened again.
	PurgeAfter *time.Time `json:"purge_after" nullable:"true"`
	// Rows of a closing tenant deleted since its grace period ended; counts contains the rest. The tenant itself is
	// deleted last.
	ErasedRows int64 `json:"erased_rows"`
	// Only where a single tenant is read by an operator.
	Counts *Holdings `json:"counts,omitempty"`
	// Time the tenant was created.
	CreatedAt time.Time `json:"created_at"`
	// Time the tenant was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version"`
}

// Holdings are how much there is of a tenant.
type Holdings struct {
	// Number of users of the tenant.
	Users int64 `json:"users"`
	// Number of identities that are not archived.
	Identities int64 `json:"identities"`
	// Number of connectors of the tenant.
	Connectors int64 `json:"connectors"`
	// Number of agents that are not revoked.
	Agents int64 `json:"agents"`
}

// resource is the tenant as the API shows it.
func (s *Service) resource(t Tenant) Tenancy {
	return Tenancy{
		ID:           t.ID,
		Slug:         t.Slug,
		Name:         t.Name,
		Region:       t.Region,
		BaseURL:      s.BaseURL(t.Slug),
		Status:       t.Status,
		StatusReason: t.Reason,
		FunnelState:  t.Stage,
		Limits:       t.Limits,
		Settings:     t.Settings,
		ClosedAt:     t.ClosedAt,
		PurgeAfter:   t.PurgeAfter,
		ErasedRows:   t.Purged,
		CreatedAt:    t.CreatedAt,
		UpdatedAt:    t.UpdatedAt,
		Version:      t.Version,
	}
}
