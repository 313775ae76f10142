// Package catalog is the list of connector types that this build can speak to, with their settings. Package connectors
// opens the connectors themselves, so that control plane and agent know the same types under the same settings.
package catalog

import (
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	"github.com/grantwright/grantwright/connectorkit/remote/config"
	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	scimsettings "github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// The connector types.
const (
	SCIM2  = "scim2"
	LDAP   = "ldap"
	REST   = "rest"
	Custom = "custom"
)

// Entry is one choice of the wizard's first step.
type Entry struct {
	Key          string               `json:"key"`  // unique in the catalog
	Type         string               `json:"type"` // of the connector that serves it
	Name         string               `json:"name"`
	Description  string               `json:"description"`
	Category     string               `json:"category"` // directory, application, identity_provider, hr, custom
	Fields       []connectorkit.Field `json:"fields"`
	Capabilities Capabilities         `json:"capabilities"`

	// Of a vendor's entry alone.
	Engine      string         `json:"engine,omitempty"` // the type of the connector that serves it
	Vendor      string         `json:"vendor,omitempty"`
	DocsURL     string         `json:"docs_url,omitempty"`
	AuthMethods []string       `json:"auth_methods,omitempty"`
	Mapping     []FieldMapping `json:"mapping,omitempty"`
	Quirks      []Quirk        `json:"quirks,omitempty"`
}

// Capabilities say what a connector of an entry can do at best; its target may be able to do less.
type Capabilities struct {
	Test             bool `json:"test"`
	Discover         bool `json:"discover"`
	ReadIdentities   bool `json:"read_identities"`
	ReadAccounts     bool `json:"read_accounts"`
	ReadEntitlements bool `json:"read_entitlements"`
	ReadGrants       bool `json:"read_grants"`
	// Incremental: changes alone can be read. Tombstones: deletions are reported as such.
	Incremental   bool `json:"incremental"`
	Tombstones    bool `json:"tombstones"`
	WriteAccount  bool `json:"write_account"`
	WriteGrant    bool `json:"write_grant"`
	EnableDisable bool `json:"enable_disable"`
	Password      bool `json:"password"`
}

// reads are the capabilities of a connector that reads everything and writes nothing.
var reads = Capabilities{
	Test:             true,
	Discover:         true,
	ReadIdentities:   true,
	ReadAccounts:     true,
	ReadEntitlements: true,
	ReadGrants:       true,
	Incremental:      true,
	Tombstones:       true,
}

// changes are the capabilities of types whose connectors change their targets too.
var changes = func() Capabilities {
	c := reads
	c.WriteAccount, c.WriteGrant, c.EnableDisable, c.Password = true, true, true, true
	return c
}()

// kind is what the catalog knows of a connector type.
type kind struct {
	entry   Entry
	aliases map[string]string         // other names of settings
	check   func(v1.AuthConfig) error // beyond what fields say; nil: nothing
	vendor  *vendor                   // nil for the types themselves
}

// kinds are all entries, types first.
var kinds = append(types, vendors()...)

// types are the entries that are no vendor's.
var types = []kind{
	{
		entry: Entry{
			Key:          SCIM2,
			Type:         SCIM2,
			Name:         "SCIM 2.0",
			Category:     "application",
			Fields:       scimsettings.Fields(),
			Capabilities: changes,
			Description:  "Any application that speaks SCIM 2.0 (RFC 7643 and 7644).",
		},
		aliases: map[string]string{
			"token":      "bearer_token",
			"tls_ca_pem": "ca_pem",
			"page_size":  "count",
			"headers":    "extra_headers",
		},
	},
	{
		entry: Entry{
			Key:          LDAP,
			Type:         LDAP,
			Name:         "LDAP",
			Category:     "directory",
			Fields:       settings.Fields(),
			Capabilities: changes,
			Description:  "Any LDAP directory: Active Directory, OpenLDAP, 389 Directory Server and others.",
		},
		aliases: map[string]string{"tls": "security", "tls_ca_pem": "ca_pem"},
	},
	{
		entry: Entry{
			Key: REST, Type: REST, Name: "REST", Category: "custom", Fields: connection.Fields(), Capabilities: changes,
			Description: "Any HTTP API that answers JSON, such as an internal or a custom one.",
		},
		aliases: connection.Aliases(), check: connection.Check,
	},
	{
		entry: Entry{
			Key:          Custom,
			Type:         Custom,
			Name:         "Custom connector",
			Category:     "custom",
			Fields:       config.Fields(),
			Capabilities: reads,
			Description:  "A service of your own that answers a SyncRequest with a SyncResponse over HTTP.",
		},
		aliases: config.Aliases(), check: config.Check,
	},
}

// Entries are the choices, in the order in which they are shown.
func Entries() []Entry {
	out := make([]Entry, len(kinds))
	for i, k := range kinds {
		out[i] = k.entry
	}
	return out
}

// Types are the types of connector that Open knows.
func Types() []string {
	out := make([]string, len(types))
	for i, k := range types {
		out[i] = k.entry.Type
	}
	return out
}

// Find gives the entry with a key.
func Find(key string) (Entry, bool) {
	k, ok := find(key)
	return k.entry, ok
}

// KeyOf is the key of the entry that describes a connector: its type, or its vendor's key.
func KeyOf(connectorType, vendorKey string) string {
	if connectorType == VendorType {
		return vendorKey
	}
	return connectorType
}

// find finds an entry by key.
func find(key string) (kind, bool) {
	for _, k := range kinds {
		if k.entry.Key == key {
			return k, true
		}
	}
	return kind{}, false
}
