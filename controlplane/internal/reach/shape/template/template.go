package template

import (
	"cmp"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

// When an attribute is written.
const (
	OnCreate = "create" // with a new account alone: what becomes of it later is the target's own affair
	OnAlways = "always" // also when the person changes, and it is compared with what the target has
)

// AccountTemplate says what an account looks like.
type AccountTemplate struct {
	// Rule that makes the username of a new account.
	Username UsernameRule `json:"username"`
	// Rules that make the other attributes of an account.
	Attributes []AttributeRule `json:"attributes" maxItems:"200" nullable:"false"`
	// The container of the account: in a directory the DN of its parent. null: where the connector puts it.
	Container *ContainerRule `json:"container"`
	// How the password of a new account is set.
	Credential CredentialRule `json:"credential"`
	// True if new accounts are enabled.
	EnabledOnCreate bool `json:"enabled_on_create"`
}

// UsernameRule makes the name of an account.
type UsernameRule struct {
	// A Python expression over identity.
	Expression string `json:"expression,omitempty" maxLength:"4096" example:"f'{identity.first_name[0]}{identity.last_name}'"`
	// The default is create. always: the account is renamed if the expression returns another value.
	On string `json:"on,omitempty" enum:"create,always"`
	// Rule that makes the result of the expression a valid name that is not taken.
	Unique UniqueRule `json:"unique,omitempty"`
}

// UniqueRule makes of a text a name that the target takes and that no other account has.
type UniqueRule struct {
	// What happens if the name is taken. number: jdoe2, jdoe3, before an @. none: no account is created.
	Suffix string `json:"suffix,omitempty" enum:"number,none"`
	// The first number. The default is 2.
	Start int `json:"start,omitempty" minimum:"1" maximum:"1000"`
	// Between the name and its number.
	Separator string `json:"separator,omitempty" maxLength:"1" example:"-"`
	// In characters, the number included.
	MaxLength int `json:"max_length,omitempty" minimum:"1" maximum:"256"`
	// The characters that stay, as in the brackets of a regular expression; all are of ASCII. A letter that is only
	// allowed in one case changes to it.
	Allowed string `json:"allowed,omitempty" maxLength:"100"`
	// How letters that ASCII does not have are written. plain: ä becomes a; german: ae.
	Transliteration string `json:"transliteration,omitempty" enum:"plain,german"`
}

// AttributeRule makes one attribute of an account.
type AttributeRule struct {
	// Name of the attribute. The connector writes email, display_name, first_name, last_name and employee_number where
	// its target keeps them. Any other name is an attribute as the target names it.
	Target string `json:"target" minLength:"1" maxLength:"256" example:"departmentNumber"`
	// A Python expression over identity and username. None leaves the attribute out.
	Expression string `json:"expression" minLength:"1" maxLength:"4096" example:"identity.department"`
	// The default is always.
	On string `json:"on,omitempty" enum:"create,always"`
	// Without it there is no account.
	Required bool `json:"required,omitempty"`
}

// ContainerRule makes the place of an account.
type ContainerRule struct {
	// A Python expression over identity and username. None leaves it to the connector.
	Expression string `json:"expression" minLength:"1" maxLength:"4096" example:"'ou=people,dc=acme,dc=test'"`
	// The default is create. always: the account is moved if the expression returns another value.
	On string `json:"on,omitempty" enum:"create,always"`
}

// CredentialRule says what becomes of the password of a new account.
type CredentialRule struct {
	// Kind of password. none: no password. random: an unknown random password, for systems that require one.
	Mode string `json:"mode" enum:"none,random"`
	// It has to be changed at the first sign-in.
	ForceChange bool `json:"force_change,omitempty"`
}

// AccountSettings are those of a template.
type AccountSettings struct {
	// Rule that makes the username of a new account.
	Username *UsernameRule `json:"username,omitempty"`
	// All of them: those of the type are not added.
	Attributes *[]AttributeRule `json:"attributes,omitempty" maxItems:"200"`
	// Rule that makes the container of the account: in a directory the DN of its parent.
	Container *ContainerRule `json:"container,omitempty"`
	// How the password of a new account is set.
	Credential *CredentialRule `json:"credential,omitempty"`
	// True if new accounts are enabled.
	EnabledOnCreate *bool `json:"enabled_on_create,omitempty"`
}

// Over lays settings over the template of the type.
func (t *AccountTemplate) Over(s AccountSettings) {
	if u := s.Username; u != nil {
		writing.OverrideFilled(&t.Username.Expression, u.Expression)
		writing.OverrideFilled(&t.Username.On, u.On)
		to, from := &t.Username.Unique, u.Unique
		writing.OverrideFilled(&to.Suffix, from.Suffix)
		writing.OverrideFilled(&to.Start, from.Start)
		writing.OverrideFilled(&to.Separator, from.Separator)
		writing.OverrideFilled(&to.MaxLength, from.MaxLength)
		writing.OverrideFilled(&to.Allowed, from.Allowed)
		writing.OverrideFilled(&to.Transliteration, from.Transliteration)
	}
	writing.Override(&t.Attributes, s.Attributes)
	if s.Container != nil {
		container := *s.Container
		t.Container = &container
	}
	writing.Override(&t.Credential, s.Credential)
	writing.Override(&t.EnabledOnCreate, s.EnabledOnCreate)
	t.Attributes = slices.Clone(t.Attributes)
	for i := range t.Attributes {
		writing.OverrideFilled(&t.Attributes[i].On, cmp.Or(t.Attributes[i].On, OnAlways))
	}
	if t.Container != nil {
		writing.OverrideFilled(&t.Container.On, cmp.Or(t.Container.On, OnCreate))
	}
}
