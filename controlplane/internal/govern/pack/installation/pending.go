package installation

import ()

// PendingBinding is a part of an object that has found nothing yet.
type PendingBinding struct {
	Select  *PackSelector   `json:"select,omitempty" doc:"Entitlements that are wanted."`
	Account *PackConnectors `json:"account,omitempty" doc:"Systems in which an account is wanted."`
	Role    string          `json:"role,omitempty" doc:"A role of the pack that is in conflict."`
	Reason  string          `json:"reason" enum:"no_connector,connector_not_read,no_entitlement,too_many,role_conflict" doc:"What is missing. too_many: the selector finds more than 200, so it cannot mean them."`
}

// PackConnectors selects connectors.
type PackConnectors struct {
	Tag        string `json:"tag,omitempty" doc:"One of the tags in the connector's label tag. A connector without that label has the tag of what it is."`
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
