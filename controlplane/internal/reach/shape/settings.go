package shape

import (
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/romanize"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

// ProvisioningSettings say how a connector writes, as a user sets it. What is left out, also within account, is as
// the connector's type and vendor have it, and goes on to be when that gets better.
type ProvisioningSettings struct {
	// How changes reach the target system. off: nothing is written. simulate: each change is planned completely and not
	// sent. manual: a person makes each change and confirms it. auto: changes are sent. The default is off for a
	// connector with the purpose source, otherwise auto.
	WriteMode *string `json:"write_mode,omitempty" enum:"off,simulate,manual,auto"`
	// Account template. Absent parts are as the connector's type and vendor have them.
	Account *template.AccountSettings `json:"account,omitempty"`
	// How accounts are deprovisioned.
	Deprovision *writing.DeprovisionSettings `json:"deprovision,omitempty"`
	// Policy for unmanaged grants. tolerate: they stay. review, the default: a person decides about them. revoke: they
	// are revoked, unless there are too many at once.
	NativeGrants *string `json:"native_grant_policy,omitempty" enum:"tolerate,review,revoke"`
	// How differences from the account template and removed access are handled.
	Drift *writing.DriftRule `json:"drift,omitempty"`
	// Limits of the circuit breaker.
	Breaker *writing.Breaker `json:"breaker,omitempty"`
}

// rules are the settings apart from those of the template.
func (s ProvisioningSettings) rules() writing.Settings {
	return writing.Settings{
		WriteMode:    s.WriteMode,
		Deprovision:  s.Deprovision,
		NativeGrants: s.NativeGrants,
		Drift:        s.Drift,
		Breaker:      s.Breaker,
	}
}

// as gives the configuration with these settings over the defaults.
func (c Config) as(s ProvisioningSettings) Config {
	r := writing.Defaults(c.subject.Purpose).With(s.rules())
	c.WriteMode, c.Deprovision, c.NativeGrants = r.WriteMode, r.Deprovision, r.NativeGrants
	c.Drift, c.Breaker = r.Drift, r.Breaker
	c.Template = c.subject.Template()
	if a := s.Account; a != nil {
		c.Template.Over(*a)
	}
	c.stored, c.plan = s, nil
	if p, wrong := c.Template.Compile(); len(wrong) == 0 {
		c.plan = p
	}
	return c
}

// defaulted names the members that are as the type has them.
func (s ProvisioningSettings) defaulted() []string {
	out := []string{}
	add := func(name string, set bool) {
		if !set {
			out = append(out, name)
		}
	}
	a := template.AccountSettings{}
	writing.Override(&a, s.Account)
	add("write_mode", s.WriteMode != nil)
	add("account.username", a.Username != nil)
	add("account.attributes", a.Attributes != nil)
	add("account.container", a.Container != nil)
	add("account.credential", a.Credential != nil)
	add("account.enabled_on_create", a.EnabledOnCreate != nil)
	add("deprovision", s.Deprovision != nil)
	add("native_grant_policy", s.NativeGrants != nil)
	add("drift", s.Drift != nil)
	add("breaker", s.Breaker != nil)
	return out
}

// check returns what is wrong with a configuration as it was set.
func (c Config) check() error {
	_, wrong := c.Template.Compile()
	complain := func(pointer, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: "#/" + pointer, Code: code, Detail: detail})
	}
	c.checkTemplate(complain)
	if d := c.stored.Deprovision; d != nil {
		if d.Disable != nil && !*d.Disable {
			complain(
				"deprovision/disable",
				"always_disabled",
				"an account is always disabled before anything else becomes of it",
			)
		}
		if d.DeleteAfter != nil {
			if _, err := span.Parse(*d.DeleteAfter); err != nil {
				complain("deprovision/delete_after", "invalid_duration", err.Error())
			}
		}
	}
	if length, err := span.Parse(c.Breaker.Window); err != nil {
		complain("breaker/window", "invalid_duration", err.Error())
	} else if length < writing.ShortestWindow || length > writing.LongestWindow {
		complain("breaker/window", "invalid_duration", "it is from PT1M to P7D")
	}
	for i, target := range c.Drift.Attributes {
		if !slices.ContainsFunc(
			c.Template.Attributes,
			func(a template.AttributeRule) bool {
				return a.On == template.OnAlways && strings.EqualFold(a.Target, target)
			},
		) {
			complain(
				"drift/attributes/"+strconv.Itoa(i),
				"unknown_target",
				target+" is no attribute that the template always writes: one that is written only on create is the "+
					"target's own affair later",
			)
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The connector does not support this write mode.").With(wrong...)
	}
	return nil
}

func (c Config) checkTemplate(complain func(pointer, code, detail string)) {
	seen := map[string]bool{}
	for i, a := range c.Template.Attributes {
		pointer, name := "account/attributes/"+strconv.Itoa(i)+"/target", strings.ToLower(a.Target)
		switch {
		case name == template.MemberUsername || name == template.FieldContainer:
			complain(pointer, "not_an_attribute", "account."+name+" says it")
		case strings.TrimSpace(a.Target) != a.Target || strings.ContainsAny(a.Target, "\x00\r\n\t"):
			complain(pointer, "invalid", "it begins or ends with a space, or has a control character in it")
		case seen[name]:
			complain(pointer, "duplicate", a.Target+" is made twice")
		}
		seen[name] = true
	}
	u := c.Template.Username.Unique
	if allowed, err := romanize.ParseCharset(u.Allowed); err == nil {
		if u.Separator != "" && !allowed.Has(rune(u.Separator[0])) {
			complain(
				"account/username/unique/separator",
				"invalid_characters",
				"it is none of the characters that are allowed",
			)
		}
		if u.Suffix == "number" && !allowed.All('0', '9') {
			complain(
				"account/username/unique/suffix",
				"invalid_characters",
				"a number needs all digits among the characters that are allowed; or name suffix none",
			)
		}
	}
	if c.Template.Container != nil && c.stored.Account != nil && c.stored.Account.Container != nil && !c.places() {
		complain("account/container", "not_for_this_type", "accounts of this target have no place")
	}
}
