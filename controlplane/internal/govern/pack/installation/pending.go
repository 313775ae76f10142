package installation

import ()

// PendingBinding is a part of an object that has found nothing yet.
type PendingBinding struct {
	// Entitlements that are wanted.
	Select *PackSelector `json:"select,omitempty"`
	// Systems in which an account is wanted.
	Account *PackConnectors `json:"account,omitempty"`
	// A role of the pack that is in conflict.
	Role string `json:"role,omitempty"`
	// What is missing. too_many: the selector finds more than 200, so it cannot mean them.
	Reason string `json:"reason" enum:"no_connector,connector_not_read,no_entitlement,too_many,role_conflict"`
}

// PackConnectors selects connectors.
type PackConnectors struct {
	// One of the tags in the connector's label tag. A connector without that label has the tag of what it is.
	Tag        string `json:"tag,omitempty"`
	Type       string `json:"type,omitempty"`
	BusinessID string `json:"business_id,omitempty"`
	Vendor     string `json:"vendor,omitempty"`
}

// PackSelector selects entitlements.
type PackSelector struct {
	Connector  PackConnectors `json:"connector"`
	Kind       string         `json:"kind,omitempty"`
	Name       string         `json:"name,omitempty"`
	NameLike   string         `json:"nameLike,omitempty"`
	ExternalID string         `json:"external_id,omitempty"`
}
