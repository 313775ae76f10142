package signinrule

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// SignInCondition is a condition over people, as it is sent and stored.
type SignInCondition map[string]any

// Fields are what an administrator decides about a rule.
type Fields struct {
	// Name of the rule, unique in the tenant.
	Name string `json:"name" db:"name" example:"Managers and owners"`
	// What people must be responsible for, at least one of: people (they manage someone), access (they own an
	// entitlement or a role). Empty: everyone who meets the condition.
	ResponsibleFor []string `json:"responsible_for" db:"responsible_for" nullable:"false" enum:"people,access" example:"[\"people\",\"access\"]"`
	// Condition that people must meet as well. See POST /policies/conditions/validate.
	Condition SignInCondition `json:"condition" db:"condition"`
	// Roles of the users: manager, resource_owner, auditor. A rule cannot make administrators.
	Roles []string `json:"roles" db:"roles" nullable:"false" enum:"manager,resource_owner,auditor" example:"[\"manager\"]"`
	// mail: the users are created at once, and get a mail with a one-time link. single_sign_on: a user is created when
	// the person first signs in with an identity provider.
	Invitation string `json:"invitation" db:"invitation" enum:"mail,single_sign_on"`
	// False: the rule gives no one sign-in.
	Enabled bool `json:"enabled" db:"enabled"`
	// The largest share of the people of the rule, in percent, who may lose sign-in within a day, except by leaving. At
	// least five may.
	MaxLossPercent int `json:"max_loss_percent" db:"max_loss_percent" example:"10"`
}

// NewSignInRule is the body of POST /settings/sign-in-rules.
type NewSignInRule struct {
	// Name of the rule, unique in the tenant.
	Name string `json:"name" minLength:"1" maxLength:"200" example:"Managers and owners"`
	// What people must be responsible for, at least one of: people (they manage someone), access (they own an
	// entitlement or a role). Empty: everyone who meets the condition.
	ResponsibleFor []string `json:"responsible_for,omitempty" nullable:"false" maxItems:"2" enum:"people,access"`
	// Condition that people must meet as well. The default is everyone.
	Condition SignInCondition `json:"condition,omitempty"`
	// Roles of the users. A rule cannot make administrators.
	Roles []string `json:"roles,omitempty" nullable:"false" maxItems:"3" enum:"manager,resource_owner,auditor"`
	// mail or single_sign_on.
	Invitation string `json:"invitation" enum:"mail,single_sign_on"`
	// The default is false: nothing happens until the rule is enabled.
	Enabled bool `json:"enabled,omitempty"`
	// The largest share of the people of the rule, in percent, who may lose sign-in within a day. The default is 10.
	MaxLossPercent *int `json:"max_loss_percent,omitempty" minimum:"1" maximum:"100"`
}

// fields are those of the rule, with its defaults.
func (n NewSignInRule) fields() Fields {
	f := Fields{
		Name: n.Name, ResponsibleFor: n.ResponsibleFor, Condition: n.Condition, Roles: n.Roles,
		Invitation: n.Invitation, Enabled: n.Enabled, MaxLossPercent: defaultLoss,
	}
	if n.MaxLossPercent != nil {
		f.MaxLossPercent = *n.MaxLossPercent
	}
	return f
}

// SignInRulePatch is the body of PATCH /settings/sign-in-rules/{id}, a JSON merge patch (RFC 7396).
type SignInRulePatch struct {
	// Name of the rule, unique in the tenant.
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	// What people must be responsible for, at least one of. Empty: everyone who meets the condition.
	ResponsibleFor []string `json:"responsible_for,omitempty" nullable:"false" maxItems:"2" enum:"people,access"`
	// Condition that people must meet as well.
	Condition SignInCondition `json:"condition,omitempty"`
	// Roles of the users. They replace the previous ones.
	Roles []string `json:"roles,omitempty" nullable:"false" maxItems:"3" enum:"manager,resource_owner,auditor"`
	// mail or single_sign_on.
	Invitation *string `json:"invitation,omitempty" enum:"mail,single_sign_on"`
	// False: the users of the rule lose sign-in, whatever the limit.
	Enabled *bool `json:"enabled,omitempty"`
	// The largest share of the people of the rule, in percent, who may lose sign-in within a day.
	MaxLossPercent *int `json:"max_loss_percent,omitempty" minimum:"1" maximum:"100"`
}

// SignInRule gives console sign-in to people.
type SignInRule struct {
	// ID of the rule.
	ID string `json:"id" db:"id"`
	Fields
	// The rule in words.
	Sentence string `json:"sentence" db:"sentence" example:"everyone who manages people or owns access"`
	// Number of people whom the rule gives sign-in.
	People int `json:"people" db:"people"`
	// Time since which no one loses sign-in by the rule, because more than its limit would. Null: it is not held.
	HeldAt *time.Time `json:"held_at" db:"held_at"`
	// Number of people who would have lost sign-in within a day when the rule was held. 0: it is not held.
	HeldPeople int `json:"held_people" db:"held_people"`
	// Time the rule was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the rule was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`
}

// Invitations of rules.
const (
	byMail   = "mail"
	bySignOn = "single_sign_on"
)

// Responsibilities that rules ask for.
const (
	forPeople = "people"
	forAccess = "access"
)

// defaultLoss is how many percent may lose sign-in within a day, and leastLoss how many people in any case.
const (
	defaultLoss = 10
	leastLoss   = 5
)

// parse reads the condition.
func (c SignInCondition) parse() (condition.Condition, error) {
	if len(c) == 0 {
		return condition.Everybody(), nil
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return condition.Condition{}, fault.New(fault.Invalid, "The condition is not valid JSON.")
	}
	parsed, problems := condition.Parse(raw)
	if len(problems) > 0 {
		f := fault.New(fault.Invalid, "The condition cannot be read.")
		for _, p := range problems {
			detail := p.Detail
			if len(p.Suggestions) > 0 {
				detail += "; did you mean " + strings.Join(p.Suggestions, ", ") + "?"
			}
			at := "#/condition" + strings.TrimPrefix(p.Pointer, "#")
			f = f.With(fault.Field{Pointer: at, Code: p.Code, Detail: detail})
		}
		return condition.Condition{}, f
	}
	if n := parsed.Needs(); len(n.Roles)+len(n.Entitlements) > 0 {
		return condition.Condition{}, fault.New(fault.Invalid, "The condition asks for access that people hold.").
			With(fault.Field{Pointer: "#/condition", Code: "access_in_condition",
				Detail: "ask for fields of people, or for responsible_for"})
	}
	return parsed, nil
}

// complete tidies and checks the fields, and gives the condition.
func (f *Fields) complete() (condition.Condition, error) {
	f.Name = strings.TrimSpace(f.Name)
	if f.Name == "" {
		return condition.Condition{}, fault.New(fault.Invalid, "A rule needs a name.").
			With(fault.Field{Pointer: "#/name", Code: "required", Detail: "give a name such as Managers"})
	}
	f.ResponsibleFor, f.Roles = tidy(f.ResponsibleFor), tidy(f.Roles)
	parsed, err := f.Condition.parse()
	if err != nil {
		return parsed, err
	}
	raw, err := json.Marshal(parsed)
	if err != nil {
		return parsed, err
	}
	f.Condition = nil
	return parsed, json.Unmarshal(raw, &f.Condition)
}

// tidy gives values in order, each once.
func tidy(values []string) []string {
	out := append([]string{}, values...)
	slices.Sort(out)
	return slices.Compact(out)
}

// sentence is the rule in words.
func (f Fields) sentence(c condition.Condition) string {
	words := map[string]string{forPeople: "manages people", forAccess: "owns access"}
	var who []string
	for _, r := range []string{forPeople, forAccess} {
		if slices.Contains(f.ResponsibleFor, r) {
			who = append(who, words[r])
		}
	}
	said := c.Sentence()
	switch {
	case len(who) == 0 && said == "everybody":
		return "everyone"
	case len(who) == 0:
		return "everyone whose " + said
	case said == "everybody":
		return "everyone who " + strings.Join(who, " or ")
	}
	return "everyone who " + strings.Join(who, " or ") + ", and whose " + said
}
