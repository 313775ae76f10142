package template

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/container"
)

// Subject is what the defaults of a connector are made of.
type Subject struct {
	Engine, Vendor string // the type of the connector that serves it, and the key of its vendor
	Purpose        string
	Settings       map[string]any // those that may be shown, as the connector code gets them
	Parent         string         // where most of the accounts that are known lie, for directories
	IsDomain       bool           // whether those accounts are of Active Directory, which the settings need not say
}

// What names are made of where nothing is said: the one that the person has already, or else what stands before the @
// of their address, or else their names.
const (
	LocalName = "coalesce(identity.username, first(split(identity.email, '@')), join([identity.first_name, " +
		"identity.last_name], '.'), identity.employee_number)"
	loginName = "coalesce(identity.username, identity.email, join([identity.first_name, identity.last_name], '.'), " +
		"identity.employee_number)"
	mailName = "coalesce(identity.email, identity.username, join([identity.first_name, identity.last_name], '.'), " +
		"identity.employee_number)"
	fullName = "coalesce(identity.display_name, join([identity.first_name, identity.last_name]), username)"
	lastName = "coalesce(identity.last_name, identity.display_name, username)"
)

const Enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:"

func (s Subject) Template() AccountTemplate {
	switch s.Engine {
	case catalog.LDAP:
		if s.activeDirectory() {
			return s.domainAccount()
		}
		return s.directoryAccount()
	case catalog.SCIM2:
		return s.scimAccount()
	}
	return s.plainAccount()
}

func names(expression string, unique UniqueRule) UsernameRule {
	unique.Suffix, unique.Start, unique.Transliteration = "number", 2, "plain"
	return UsernameRule{Expression: expression, On: OnCreate, Unique: unique}
}

func Always(pairs ...string) []AttributeRule {
	out := make([]AttributeRule, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, AttributeRule{Target: pairs[i], Expression: pairs[i+1], On: OnAlways})
	}
	return out
}

// directoryAccount is an inetOrgPerson (RFC 2798), of which cn and sn are mandatory.
func (s Subject) directoryAccount() AccountTemplate {
	rules := Always(
		"cn",
		fullName,
		"sn",
		lastName,
		"givenName",
		"identity.first_name",
		"displayName",
		"identity.display_name",
		"mail",
		"identity.email",
		"employeeNumber",
		"identity.employee_number",
		"departmentNumber",
		"identity.department",
		"title",
		"identity.title",
		"o",
		"identity.organization",
		"l",
		"identity.location",
		"employeeType",
		"identity.employment_type",
		"preferredLanguage",
		"identity.locale",
	)
	rules[0].Required, rules[1].Required = true, true
	if strings.EqualFold(text(s.Settings["username_attribute"]), "cn") {
		rules = rules[1:] // the name of the account is its cn
	}
	return AccountTemplate{
		Username: names(
			LocalName,
			UniqueRule{MaxLength: 64, Allowed: "a-z0-9._-"},
		),
		Attributes:      rules,
		Container:       s.container(),
		Credential:      CredentialRule{Mode: "none"},
		EnabledOnCreate: true,
	}
}

// domainAccount is a user of Active Directory. A sAMAccountName has 20 characters at most.
func (s Subject) domainAccount() AccountTemplate {
	rules := Always(
		"displayName",
		fullName,
		"givenName",
		"identity.first_name",
		"sn",
		"identity.last_name",
		"mail",
		"identity.email",
		"employeeID",
		"identity.employee_number",
		"department",
		"identity.department",
		"title",
		"identity.title",
		"company",
		"identity.organization",
		"division",
		"identity.division",
		"physicalDeliveryOfficeName",
		"identity.location",
	)
	if domain := s.domain(); domain != "" {
		rules = append(
			[]AttributeRule{
				{Target: "userPrincipalName", Expression: "f'{username}@" + domain + "'", On: OnCreate, Required: true},
			},
			rules...)
	}
	return AccountTemplate{
		Username: names(
			LocalName,
			UniqueRule{MaxLength: 20, Allowed: "a-z0-9._-"},
		),
		Attributes:      rules,
		Container:       s.container(),
		Credential:      CredentialRule{Mode: "random", ForceChange: true},
		EnabledOnCreate: true,
	}
}

func (s Subject) scimAccount() AccountTemplate {
	expression, unique := loginName, UniqueRule{MaxLength: 256, Allowed: "a-zA-Z0-9._@+-"}
	switch s.Vendor {
	case "slack":
		expression, unique = LocalName, UniqueRule{MaxLength: 21, Allowed: "a-z0-9._-"}
	case "atlassian", "aws-iam-identity-center":
		expression = mailName
	}
	rules := Always(
		MemberEmail,
		"identity.email",
		MemberFirstName,
		"identity.first_name",
		MemberLastName,
		lastName,
		MemberDisplayName,
		fullName,
		"title",
		"identity.title",
		MemberEmployeeNumber,
		"identity.employee_number",
		Enterprise+"department",
		"identity.department",
		Enterprise+"division",
		"identity.division",
		Enterprise+"organization",
		"identity.organization",
		Enterprise+"costCenter",
		"identity.cost_center",
	)
	return AccountTemplate{
		Username: names(
			expression,
			unique,
		),
		Attributes:      rules,
		Credential:      CredentialRule{Mode: "none"},
		EnabledOnCreate: true,
	}
}

// plainAccount has what every system knows in some way.
func (s Subject) plainAccount() AccountTemplate {
	rules := Always(
		MemberEmail,
		"identity.email",
		MemberFirstName,
		"identity.first_name",
		MemberLastName,
		"identity.last_name",
		MemberDisplayName,
		fullName,
		MemberEmployeeNumber,
		"identity.employee_number",
	)
	return AccountTemplate{
		Username: names(loginName, UniqueRule{MaxLength: 128, Allowed: "a-zA-Z0-9._@+-"}), Attributes: rules,
		Credential: CredentialRule{Mode: "none"}, EnabledOnCreate: true,
	}
}

func (s Subject) activeDirectory() bool {
	flavor := text(s.Settings["flavor"])
	return s.IsDomain || s.Vendor == "active-directory" || flavor == "ad" || flavor == "adlds"
}

// container is where most of the accounts lie that are known. Where the settings say where new ones go, or nothing is
// known yet, the connector puts them there.
func (s Subject) container() *ContainerRule {
	if s.Parent == "" || text(s.Settings["create_container"]) != "" {
		return nil
	}
	return &ContainerRule{Expression: literal(s.Parent), On: OnCreate}
}

// domain is that of Active Directory, from its naming context: dc=acme,dc=test is acme.test.
func (s Subject) domain() string {
	var labels []string
	for _, part := range container.Split(text(s.Settings["base_dn"])) {
		if name, value, ok := strings.Cut(part, "="); ok && strings.EqualFold(strings.TrimSpace(name), "dc") {
			labels = append(labels, strings.TrimSpace(value))
		}
	}
	domain := strings.ToLower(strings.Join(labels, "."))
	if strings.ContainsAny(domain, `'"\{} `) {
		return ""
	}
	return domain
}

// literal is a text of Python.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(text) + "'"
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
