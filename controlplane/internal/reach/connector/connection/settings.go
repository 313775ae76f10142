package connection

import (
	"cmp"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Settings say how a target is reached. They are enough for a connection test.
type Settings struct {
	// scim2, ldap, rest, custom, or vendor with vendor_key.
	Type string `json:"type"`
	// For the type vendor: the key of the catalog's entry; see /connectors/types.
	VendorKey string `json:"vendor_key,omitempty"`
	// hosted: the service calls the target itself; agent: an agent near the target does.
	Mode string `json:"mode,omitempty" enum:"hosted,agent" default:"hosted"`
	// In agent mode: this agent, or ...
	AgentID string `json:"agent_id,omitempty"`
	// ... any agent of this group.
	AgentGroup string `json:"agent_group,omitempty"`
	// Settings without secrets; see /connectors/types.
	Connection map[string]any `json:"connection,omitempty"`
	// Secrets. They are never shown again.
	Credentials map[string]any `json:"credentials,omitempty"`
}

// What decides where secrets are sent, and who is believed to be the target there: settings that count exactly, and
// addresses of which only the origin counts.
var (
	endpointSettings = []string{
		"host",
		"port",
		"security",
		"tls",
		"ca_pem",
		"tls_server_name",
		"tls_insecure_skip_verify",
	}
	endpointAddresses = []string{"base_url", "token_url"}
)

// MovedBy names the settings by which a target is another one than before.
func MovedBy(before, after map[string]any) []string {
	var changed []string
	for _, key := range endpointSettings {
		if !reflect.DeepEqual(before[key], after[key]) {
			changed = append(changed, key)
		}
	}
	for _, key := range endpointAddresses {
		if Origin(before[key]) != Origin(after[key]) {
			changed = append(changed, key)
		}
	}
	return changed
}

// Origin is scheme, host and port of an address; what is no address stands for itself.
func Origin(address any) string {
	raw, _ := address.(string)
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// Key is that of the catalog's entry which describes these settings.
func (s Settings) Key() string { return catalog.KeyOf(s.Type, s.VendorKey) }

// FillDefaults fills in what may be left out.
func (s *Settings) FillDefaults() { s.Mode = cmp.Or(s.Mode, dispatch.Hosted) }

// OptionalText is a text; nil where it is empty.
func OptionalText(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// Given leaves out what is null: in a new object it means the same as absence.
func Given(object map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range object {
		if value != nil {
			out[key] = value
		}
	}
	return out
}

// Together is the auth_config of the protocol.
func Together(connection, credentials map[string]any) v1.AuthConfig {
	auth := v1.AuthConfig{}
	maps.Copy(auth, connection)
	maps.Copy(auth, credentials)
	return auth
}

// SortedKeys are the keys of an object in their order; never nil.
func SortedKeys[V any](object map[string]V) []string {
	keys := slices.Sorted(maps.Keys(object))
	if keys == nil {
		return []string{}
	}
	return keys
}

// Merged is what secrets become: those given replace, null clears, absent ones stay. A secret is replaced whole.
func Merged(secrets, patch map[string]any) map[string]any {
	out := maps.Clone(secrets)
	maps.Copy(out, patch)
	return Given(out)
}

// TextOf is an optional text; empty where there is none.
func TextOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
