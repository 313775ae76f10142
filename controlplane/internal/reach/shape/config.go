package shape

import (
	"time"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

// Config is how a connector writes.
type Config struct {
	// How changes reach the target system. off: nothing is written. simulate: each change is planned completely and not
	// sent. manual: a person makes each change and confirms it. auto: changes are sent.
	WriteMode   string                   `json:"write_mode" enum:"off,simulate,manual,auto"`
	Template    template.AccountTemplate `json:"account"`
	Deprovision writing.Deprovision      `json:"deprovision"`
	// What happens to access that was granted in the target system.
	NativeGrants string            `json:"native_grant_policy" enum:"tolerate,review,revoke"`
	Drift        writing.DriftRule `json:"drift"`
	Breaker      writing.Breaker   `json:"breaker"`

	// Purpose, status and type are the connector's own, for those who plan changes.
	ConnectorID string `json:"-"`
	BusinessID  string `json:"-"`
	Type        string `json:"-"` // of the connector that serves it: ldap, scim2, rest, custom
	Purpose     string `json:"-"`
	Status      string `json:"-"`

	BreakerOpenSince *time.Time `json:"-"`
	BreakerReason    string     `json:"-"`

	subject template.Subject     // what its defaults are made of
	stored  ProvisioningSettings // what was set; the rest are defaults
	version int                  // of the connector
	plan    *template.Plan       // of the template
}

// places reports whether accounts of the target lie somewhere. Connectors of one's own know for themselves.
func (c Config) places() bool { return c.Type == catalog.LDAP || c.Type == catalog.Custom }
