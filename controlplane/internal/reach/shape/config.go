package shape

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

// When an attribute is written.
const (
	OnCreate = "create" // with a new account alone: what becomes of it later is the target's own affair
	OnAlways = "always" // also when the person changes, and it is compared with what the target has
)

// Config is how a connector writes.
type Config struct {
	WriteMode    string              `json:"write_mode" enum:"off,simulate,manual,auto" doc:"off: nothing is written. simulate: each change is planned completely and not sent. manual: a person makes each change and confirms it. auto: changes are sent."`
	Template     AccountTemplate     `json:"account"`
	Deprovision  writing.Deprovision `json:"deprovision"`
	NativeGrants string              `json:"native_grant_policy" enum:"tolerate,review,revoke" doc:"What happens to access that was granted in the target system."`
	Drift        writing.DriftRule   `json:"drift"`
	Breaker      writing.Breaker     `json:"breaker"`

	// Purpose, status and type are the connector's own, for those who plan changes.
	ConnectorID string `json:"-"`
	BusinessID  string `json:"-"`
	Type        string `json:"-"` // of the connector that serves it: ldap, scim2, rest, custom
	Purpose     string `json:"-"`
	Status      string `json:"-"`

	BreakerOpenSince *time.Time `json:"-"`
	BreakerReason    string     `json:"-"`

	subject subject              // what its defaults are made of
	stored  ProvisioningSettings // what was set; the rest are defaults
	version int                  // of the connector
	plan    *plan                // of the template
}

// AccountTemplate says what an account looks like.
type AccountTemplate struct {
	Username        UsernameRule    `json:"username"`
	Attributes      []AttributeRule `json:"attributes" maxItems:"200" nullable:"false"`
	Container       *ContainerRule  `json:"container" doc:"The container of the account: in a directory the DN of its parent. null: where the connector puts it."`
	Credential      CredentialRule  `json:"credential"`
	EnabledOnCreate bool            `json:"enabled_on_create"`
}

// UsernameRule makes the name of an account.
type UsernameRule struct {
	Expression string     `json:"expression,omitempty" maxLength:"4096" doc:"A Python expression over identity." example:"f'{identity.first_name[0]}{identity.last_name}'"`
	On         string     `json:"on,omitempty" enum:"create,always" doc:"The default is create. always: the account is renamed if the expression returns another value."`
	Unique     UniqueRule `json:"unique,omitempty"`
}

// UniqueRule makes of a text a name that the target takes and that nobody else has.
type UniqueRule struct {
	Suffix          string `json:"suffix,omitempty" enum:"number,none" doc:"What happens if the name is taken. number: jdoe2, jdoe3, before an @. none: no account is created."`
	Start           int    `json:"start,omitempty" minimum:"1" maximum:"1000" doc:"The first number. The default is 2."`
	Separator       string `json:"separator,omitempty" maxLength:"1" doc:"Between the name and its number." example:"-"`
	MaxLength       int    `json:"max_length,omitempty" minimum:"1" maximum:"256" doc:"In characters, the number included."`
	Allowed         string `json:"allowed,omitempty" maxLength:"100" doc:"The characters that stay, as in the brackets of a regular expression; all are of ASCII. A letter that is only allowed in one case changes to it."`
	Transliteration string `json:"transliteration,omitempty" enum:"plain,german" doc:"How letters that ASCII does not have are written. plain: ä becomes a; german: ae."`
}

// AttributeRule makes one attribute of an account.
type AttributeRule struct {
	Target     string `json:"target" minLength:"1" maxLength:"256" doc:"email, display_name, first_name, last_name or employee_number, which the connector writes where its target keeps them; or an attribute as the target names it." example:"departmentNumber"`
	Expression string `json:"expression" minLength:"1" maxLength:"4096" doc:"A Python expression over identity and username. None leaves the attribute out." example:"identity.department"`
	On         string `json:"on,omitempty" enum:"create,always" doc:"The default is always."`
	Required   bool   `json:"required,omitempty" doc:"Without it there is no account."`
}

// ContainerRule makes the place of an account.
type ContainerRule struct {
	Expression string `json:"expression" minLength:"1" maxLength:"4096" doc:"A Python expression over identity and username. None leaves it to the connector." example:"'ou=people,dc=acme,dc=test'"`
	On         string `json:"on,omitempty" enum:"create,always" doc:"The default is create. always: the account is moved if the expression returns another value."`
}

// CredentialRule says what becomes of the password of a new account.
type CredentialRule struct {
	Mode        string `json:"mode" enum:"none,random" doc:"none: no password. random: an unknown random password, for systems that require one."`
	ForceChange bool   `json:"force_change,omitempty" doc:"It has to be changed at the first sign-in."`
}
