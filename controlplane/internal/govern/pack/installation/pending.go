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
	Tag string `json:"tag,omitempty"`
	// Type of the connectors. Absent for any.
	Type string `json:"type,omitempty"`
	// Business ID of the connector. Absent for any.
	BusinessID string `json:"business_id,omitempty"`
	// Vendor of the systems, without regard to case. Absent for any.
	Vendor string `json:"vendor,omitempty"`
}

// PackSelector selects entitlements.
type PackSelector struct {
	// Connectors whose entitlements are selected.
	Connector PackConnectors `json:"connector"`
	// Kind of the entitlements. Absent for any.
	Kind string `json:"kind,omitempty"`
	// Name or display name of the entitlements, without regard to case. Absent if nameLike or external_id selects them.
	Name string `json:"name,omitempty"`
	// Pattern for the name or display name of the entitlements, without regard to case, where * matches any characters.
	NameLike string `json:"nameLike,omitempty"`
	// ID of the entitlement in its target system. Absent if name or nameLike selects entitlements.
	ExternalID string `json:"external_id,omitempty"`
}
