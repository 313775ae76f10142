package typelist

import (
	"cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
)

// ConnectorType is one choice of the wizard's first step.
type ConnectorType struct {
	// Key of the catalog entry, unique in the catalog. A connector of a vendor has it as its vendor_key.
	Key string `json:"key"`
	// Type of connectors that use the entry: scim2, ldap, rest, custom or vendor.
	Type string `json:"type"`
	// Display name of the catalog entry.
	Name string `json:"name"`
	// Description of the catalog entry.
	Description string `json:"description"`
	// Category of the system: directory, application, identity_provider, hr or custom.
	Category string `json:"category"`
	// Settings and secrets of the connection.
	Fields []ConnectorSetting `json:"fields" nullable:"false"`
	// Operations that a connector of the entry can perform at best. Its target system may support fewer.
	Capabilities catalog.Capabilities `json:"capabilities"`

	// Who makes the system; empty for the types themselves.
	Vendor string `json:"vendor"`
	// The type that serves a vendor's entry; the type itself otherwise.
	Engine string `json:"engine"`
	// The vendor's own documentation.
	DocsURL string `json:"docs_url"`
	// Methods by which the connector signs in to the vendor's system, such as bearer; empty for the types themselves.
	AuthMethods []string `json:"auth_methods" nullable:"false"`
	// What is known of the vendor's fields.
	Mapping []catalog.FieldMapping `json:"mapping_template" nullable:"false"`
	// Habits of the vendor's system, each with its source.
	Quirks []catalog.Quirk `json:"quirks" nullable:"false"`
	// The fields as JSON Schema (draft 2020-12); secrets are writeOnly.
	ConnectionSchema map[string]any `json:"connection_schema"`
}

// ConnectorSetting describes a member of connection, or of credentials when it is secret.
type ConnectorSetting connectorkit.Field

func TypeShown(e catalog.Entry) ConnectorType {
	t := ConnectorType{
		Key:              e.Key,
		Type:             e.Type,
		Name:             e.Name,
		Description:      e.Description,
		Category:         e.Category,
		Capabilities:     e.Capabilities,
		Vendor:           e.Vendor,
		Engine:           cmp.Or(e.Engine, e.Type),
		DocsURL:          e.DocsURL,
		AuthMethods:      some(e.AuthMethods),
		Mapping:          some(e.Mapping),
		Quirks:           some(e.Quirks),
		ConnectionSchema: e.Schema(),
	}
	for _, f := range e.Fields {
		t.Fields = append(t.Fields, ConnectorSetting(f))
	}
	return t
}

// some is s, and an empty list rather than none.
func some[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
