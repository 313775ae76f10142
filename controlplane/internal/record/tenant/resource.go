package tenant

import "time"

// Tenancy is a tenant in the API.
type Tenancy struct {
	ID   string `json:"id"`
	Slug string `json:"slug" example:"acme"`
	Name string `json:"name"`
	// where its data is kept, in the operator's words
	Region string `json:"region"`
	// where the tenant is reached; a token of another tenant is not accepted there
	BaseURL string `json:"base_url" example:"https://iga.example.com/t/acme"`
	Status  Status `json:"status" enum:"active,suspended,closing"`
	// why an operator has suspended or closed it
	StatusReason *string `json:"status_reason" nullable:"true"`
	// how far the tenant has come
	FunnelState Stage       `json:"funnel_state" enum:"bootstrapped,connected"`
	Limits      Limits      `json:"limits"`
	Settings    Preferences `json:"settings"`
	ClosedAt    *time.Time  `json:"closed_at" nullable:"true"`
	// from then on everything that belongs to the closing tenant is deleted, and it cannot be opened again
	PurgeAfter *time.Time `json:"purge_after" nullable:"true"`
	// rows of a closing tenant deleted since its grace period ended; counts contains the rest. The tenant itself is
	// deleted last.
	ErasedRows int64 `json:"erased_rows"`
	// only where a single tenant is read by an operator
	Counts    *Holdings `json:"counts,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Version   int       `json:"version"`
}

// Holdings are how much there is of a tenant.
type Holdings struct {
	Users int64 `json:"users"`
	// but for those that are archived
	Identities int64 `json:"identities"`
	Connectors int64 `json:"connectors"`
	// but for those that were revoked
	Agents int64 `json:"agents"`
}

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
