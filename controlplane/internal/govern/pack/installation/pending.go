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
	// A mitigating control of the pack that the tenant has deleted. A control of the same name takes its place.
	Mitigation string `json:"mitigation_policy,omitempty"`
	// Whether it is what people must have by a policy with the effect require. Absent: it is what the object grants.
	Required bool `json:"required,omitempty"`
	// Row of the decision table that it belongs to, counted from 1. Absent for none.
	Row int `json:"row,omitempty"`
	// What is missing. too_many: the selector finds more than 200, so it cannot mean them. separation_of_duties: with
	// what the selector finds, the role would violate an enforced policy.
	Reason string `json:"reason" enum:"no_connector,connector_not_read,no_entitlement,too_many,role_conflict,no_control,separation_of_duties"`
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
