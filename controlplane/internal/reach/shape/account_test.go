package shape

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/container"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func asUnmakable(err error, u **Unmakable) bool { return errors.As(err, u) }

func jane() identity.Facts {
	return identity.Facts{
		"first_name":      "Jane",
		"last_name":       "Doe",
		"display_name":    "Jane Doe",
		"email":           "jane.doe@acme.test",
		"employee_number": "1042",
		"department":      "Surgery",
		"title":           "Nurse",
		"username":        nil,
		"location":        nil,
		"status":          "active",
		"manager":         map[string]any{"id": "m", "display_name": "Ada Boss", "email": nil},
		"attributes":      map[string]any{"badge": float64(77), "labs": []any{"a", "b"}, "remote": true},
	}
}

func of(s template.Subject, set ProvisioningSettings) Config {
	return Config{Type: s.Engine, BusinessID: "test", subject: s}.as(set)
}

func nobody(string) bool { return false }

func TestEveryTypeMakesAUsefulAccountWithoutAnySettings(t *testing.T) {
	text := func(s *string) string {
		if s == nil {
			return "<nil>"
		}
		return *s
	}
	acme := map[string]any{"base_dn": "dc=acme,dc=test"}
	for _, tt := range []struct {
		name       string
		subject    template.Subject
		username   string
		members    [5]string
		attributes map[string]any
		container  string
		credential *v1.NewCredential
	}{
		{
			name: "a directory", subject: template.Subject{Engine: catalog.LDAP, Settings: acme,
				Parent: "ou=people,dc=acme,dc=test"}, username: "jane.doe",
			members: [5]string{"<nil>", "<nil>", "<nil>", "<nil>", "<nil>"}, container: "ou=people,dc=acme,dc=test",
			attributes: map[string]any{"cn": "Jane Doe", "sn": "Doe", "givenName": "Jane", "displayName": "Jane Doe",
				"mail":           "jane.doe@acme.test",
				"employeeNumber": "1042", "departmentNumber": "Surgery", "title": "Nurse"},
		},
		{
			name: "Active Directory", subject: template.Subject{Engine: catalog.LDAP, Vendor: "active-directory",
				Settings: acme}, username: "jane.doe",
			members: [5]string{"<nil>", "<nil>", "<nil>", "<nil>", "<nil>"}, container: "<nil>",
			attributes: map[string]any{"displayName": "Jane Doe", "sn": "Doe", "givenName": "Jane",
				"mail": "jane.doe@acme.test", "employeeID": "1042",
				"department": "Surgery", "title": "Nurse", "userPrincipalName": "jane.doe@acme.test"},
			credential: &v1.NewCredential{Mode: "random", ForceChange: true},
		},
		{
			name: "SCIM", subject: template.Subject{Engine: catalog.SCIM2}, username: "jane.doe@acme.test", container: "<nil>",
			members:    [5]string{"jane.doe@acme.test", "Jane Doe", "Jane", "Doe", "1042"},
			attributes: map[string]any{"title": "Nurse", template.Enterprise + "department": "Surgery"},
		},
		{
			name: "Slack", subject: template.Subject{Engine: catalog.SCIM2, Vendor: "slack"}, username: "jane.doe",
			container:  "<nil>",
			members:    [5]string{"jane.doe@acme.test", "Jane Doe", "Jane", "Doe", "1042"},
			attributes: map[string]any{"title": "Nurse", template.Enterprise + "department": "Surgery"},
		},
		{
			name: "REST", subject: template.Subject{Engine: catalog.REST}, username: "jane.doe@acme.test", container: "<nil>",
			members: [5]string{"jane.doe@acme.test", "Jane Doe", "Jane", "Doe", "1042"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, credential, err := of(tt.subject, ProvisioningSettings{}).Account(jane(), nobody)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(a.Username); got != tt.username {
				t.Errorf("the name is %s, want %s", got, tt.username)
			}
			if got := [5]string{
				text(a.Email),
				text(a.DisplayName),
				text(a.FirstName),
				text(a.LastName),
				text(a.EmployeeNumber),
			}; got != tt.members {
				t.Errorf("the members are %q, want %q", got, tt.members)
			}
			if len(a.Attributes)+len(tt.attributes) > 0 && !reflect.DeepEqual(a.Attributes, tt.attributes) {
				t.Errorf("the attributes are %v, want %v", a.Attributes, tt.attributes)
			}
			if got := text(a.Container); got != tt.container {
				t.Errorf("the container is %s, want %s", got, tt.container)
			}
			if !reflect.DeepEqual(credential, tt.credential) {
				t.Errorf("the credential is %+v, want %+v", credential, tt.credential)
			}
			if a.Enabled == nil || !*a.Enabled {
				t.Error("it is not enabled")
			}
		})
	}
}

func TestANameInAnotherScriptMakesAnAccountWhereItCanBeWritten(t *testing.T) {
	c := of(
		template.Subject{
			Engine:   catalog.LDAP,
			Vendor:   "active-directory",
			Settings: map[string]any{"base_dn": "dc=acme,dc=test"},
		},
		ProvisioningSettings{},
	)
	f := identity.Facts{"first_name": "Владимир", "last_name": "Щербаков", "display_name": "Владимир Щербаков"}
	a, _, err := c.Account(f, func(n string) bool { return n == "vladimir.shcherbakov" })
	if err != nil || *a.Username != "vladimir.shcherbako2" || a.Attributes["displayName"] != "Владимир Щербаков" {
		t.Errorf("it is %v, %v, %v", a.Username, a.Attributes, err)
	}
	_, _, err = c.Account(identity.Facts{"first_name": "伟", "last_name": "王", "display_name": "王伟"}, nobody)
	if err == nil || !strings.Contains(err.Error(), "Latin letters") {
		t.Errorf("the reason is %v", err)
	}
}

func attributes(pairs ...string) *[]template.AttributeRule {
	rules := template.Always(pairs...)
	return &rules
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	required := func(expression string) ProvisioningSettings {
		return ProvisioningSettings{
			Account: &template.AccountSettings{
				Attributes: &[]template.AttributeRule{{Target: "x", Expression: expression, Required: true}},
			},
		}
	}
	for _, tt := range []struct{ expression, code, says string }{
		{"identity.location", template.CodeMissing, "identity.location is not known"},
		{"f'{identity.location}-{identity.title}'", template.CodeMissing, "identity.location is not known"},
		{"identity.shoe_size + identity.location", template.CodeMissing,
			"identity.location and identity.shoe_size are not known"},
		{"identity.manager.email.lower()", template.CodeMissing, "identity.manager.email is not known"},
		{"identity.attributes.room", template.CodeMissing, "identity.attributes.room is not known"},
		{"None", template.CodeMissing, "its expression gives None"},
		{"identity.title / 2", template.CodeFailed, "TypeError at line 1, column 16 of its expression"},
		{"{'a': 1}", template.CodeWrongType, "a dict, not a text"},
		{"[[1], {}]", template.CodeWrongType, "a list of something else"},
	} {
		_, _, err := of(template.Subject{Engine: catalog.LDAP}, required(tt.expression)).Account(jane(), nobody)
		var u *Unmakable
		if !errors.As(err, &u) || len(u.Problems) != 1 || u.Problems[0].Code != tt.code || u.Problems[0].Field != "x" ||
			!strings.Contains(u.Problems[0].Message, tt.says) {
			t.Errorf("%s: the reason is %v, want %s: %s", tt.expression, err, tt.code, tt.says)
		}
	}
}

func TestWhatIsNotRequiredIsLeftOutWhenItIsNotKnown(t *testing.T) {
	c := of(
		template.Subject{Engine: catalog.LDAP},
		ProvisioningSettings{Account: &template.AccountSettings{Attributes: attributes(
			"room",
			"identity.location",
			"chief",
			"identity.manager.email.lower()",
			"sign",
			"f'{identity.location}'",
			"title",
			"identity.title",
		)}},
	)
	a, _, err := c.Account(jane(), nobody)
	if err != nil || !maps.Equal(a.Attributes, map[string]any{"title": "Nurse"}) {
		t.Errorf("they are %v, %v", a.Attributes, err)
	}
}

func TestAllProblemsAreToldAtOnceAndNoValues(t *testing.T) {
	c := of(template.Subject{Engine: catalog.REST}, ProvisioningSettings{Account: &template.AccountSettings{
		Username: &template.UsernameRule{Expression: "identity.location"},
		Attributes: &[]template.AttributeRule{
			{Target: "a", Expression: "int(identity.title)"},
			{Target: "b", Expression: "identity.location", Required: true},
		},
	}})
	_, _, err := c.Account(jane(), nobody)
	var u *Unmakable
	if !errors.As(err, &u) || len(u.Problems) != 3 {
		t.Fatalf("the reasons are %v", err)
	}
	if strings.Contains(err.Error(), "Nurse") {
		t.Errorf("a value of the person is told: %v", err)
	}
}

func TestValuesAreWrittenAsTheTargetTakesThem(t *testing.T) {
	rules := attributes(
		"n",
		"identity.attributes.badge",
		"b",
		"identity.attributes.remote",
		"l",
		"identity.attributes.labs",
		"o",
		"[identity.attributes.badge]",
		"e",
		"[]",
		"w",
		"1.5",
		"employee_number",
		"1042",
		"name",
		"f'{username}!'",
	)
	for engine, want := range map[string]map[string]any{
		catalog.LDAP: {"n": "77", "b": "TRUE", "l": []any{"a", "b"}, "o": []any{"77"}, "w": "1.5",
			"name": "jane.doe!"},
		catalog.SCIM2: {"n": int64(77), "b": true, "l": []any{"a", "b"}, "o": []any{int64(77)}, "w": 1.5,
			"name": "jane.doe!"},
	} {
		a, _, err := of(
			template.Subject{Engine: engine},
			ProvisioningSettings{
				Account: &template.AccountSettings{
					Attributes: rules,
					Username:   &template.UsernameRule{Expression: "'jane.doe'"},
				},
			},
		).Account(jane(), nobody)
		if err != nil || !reflect.DeepEqual(a.Attributes, want) || *a.EmployeeNumber != "1042" {
			t.Errorf("%s: they are %#v, %v; want %#v", engine, a.Attributes, err, want)
		}
	}
}

func TestWhatIsSetLiesOverWhatTheTypeHas(t *testing.T) {
	var set ProvisioningSettings
	if err := json.Unmarshal(
		[]byte(
			`{"account": {"username": {"unique": {"max_length": 8}}, "enabled_on_create": false}, "deprovision": {"keep_groups": true}, "breaker": {"max_changes": 5}}`,
		),
		&set,
	); err != nil {
		t.Fatal(err)
	}
	c := of(
		template.Subject{
			Engine:   catalog.LDAP,
			Vendor:   "active-directory",
			Settings: map[string]any{"base_dn": "dc=acme,dc=test"},
		},
		set,
	)
	u := c.Template.Username
	if u.Expression != template.LocalName || u.Unique.MaxLength != 8 || u.Unique.Allowed != "a-z0-9._-" ||
		u.Unique.Suffix != "number" ||
		u.On != template.OnCreate {
		t.Errorf("names are %+v", u)
	}
	if c.Template.EnabledOnCreate || len(c.Template.Attributes) < 10 || c.Template.Credential.Mode != "random" {
		t.Errorf("the template is %+v", c.Template)
	}
	if !c.Deprovision.Disable || !c.Deprovision.KeepGroups || c.Breaker.MaxChanges != 5 ||
		c.Breaker.MaxFailures != 10 ||
		c.Breaker.Length().Hours() != 1 {
		t.Errorf("the rest is %+v %+v", c.Deprovision, c.Breaker)
	}
	if got := set.defaulted(); slices.Contains(got, "account.username") ||
		!slices.Contains(got, "account.attributes") ||
		!slices.Contains(got, "write_mode") ||
		slices.Contains(got, "breaker") {
		t.Errorf("defaults are %q", got)
	}
}

func TestASourceOfPeopleIsNotWrittenTo(t *testing.T) {
	if got := of(
		template.Subject{Engine: catalog.REST, Purpose: "source"},
		ProvisioningSettings{},
	).WriteMode; got != writing.WriteOff {
		t.Errorf("a source is written to: %s", got)
	}
	if got := of(
		template.Subject{Engine: catalog.REST, Purpose: "both"},
		ProvisioningSettings{},
	).WriteMode; got != writing.WriteAuto {
		t.Errorf("a connector writes %s", got)
	}
	auto := writing.WriteAuto
	if got := of(
		template.Subject{Engine: catalog.REST, Purpose: "source"},
		ProvisioningSettings{WriteMode: &auto},
	).WriteMode; got != writing.WriteAuto {
		t.Errorf("what was set is %s", got)
	}
}

func TestWhatIsWrongWithSettingsHasItsPlace(t *testing.T) {
	no, long, years := false, "P1Y", "P30D"
	for _, tt := range []struct {
		name, pointer, code, says string
		set                       ProvisioningSettings
	}{
		{"an expression", "#/account/username/expression", "invalid_expression", "(line 1, column 17)",
			ProvisioningSettings{Account: &template.AccountSettings{Username: &template.UsernameRule{Expression: "identity.email +"}}}},
		{"an unknown name", "#/account/attributes/1/expression", "invalid_expression", "identity.mail",
			ProvisioningSettings{Account: &template.AccountSettings{Attributes: attributes("a", "1", "b", "mail")}}},
		{"a container", "#/account/container/expression", "invalid_expression", "'ou=",
			ProvisioningSettings{Account: &template.AccountSettings{Container: &template.ContainerRule{Expression: "'ou="}}}},
		{"a target twice", "#/account/attributes/1/target", "duplicate", "made twice",
			ProvisioningSettings{Account: &template.AccountSettings{Attributes: attributes("mail", "1", "Mail", "2")}}},
		{"the name as an attribute", "#/account/attributes/0/target", "not_an_attribute", "account.username",
			ProvisioningSettings{Account: &template.AccountSettings{Attributes: attributes("username", "1")}}},
		{"characters", "#/account/username/unique/allowed", "invalid_characters", "backwards",
			ProvisioningSettings{Account: &template.AccountSettings{Username: &template.UsernameRule{Unique: template.UniqueRule{Allowed: "z-a"}}}}},
		{"numbers without digits", "#/account/username/unique/suffix", "invalid_characters", "digits",
			ProvisioningSettings{Account: &template.AccountSettings{Username: &template.UsernameRule{Unique: template.UniqueRule{Allowed: "a-z"}}}}},
		{"a separator", "#/account/username/unique/separator", "invalid_characters", "allowed",
			ProvisioningSettings{Account: &template.AccountSettings{Username: &template.UsernameRule{Unique: template.UniqueRule{Separator: "!"}}}}},
		{"no disabling", "#/deprovision/disable", "always_disabled", "always",
			ProvisioningSettings{Deprovision: &writing.DeprovisionSettings{Disable: &no}}},
		{"a duration of years", "#/deprovision/delete_after", "invalid_duration", "P365D",
			ProvisioningSettings{Deprovision: &writing.DeprovisionSettings{DeleteAfter: &long}}},
		{"a window", "#/breaker/window", "invalid_duration", "P7D",
			ProvisioningSettings{Breaker: &writing.Breaker{Window: years}}},
		{"drift of something else", "#/drift/attributes/0", "unknown_target", "shoe",
			ProvisioningSettings{Drift: &writing.DriftRule{Attributes: []string{"shoe"}}}},
	} {
		err := of(template.Subject{Engine: catalog.LDAP}, tt.set).check()
		var f *fault.Fault
		if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Pointer != tt.pointer ||
			f.Fields[0].Code != tt.code ||
			!strings.Contains(f.Fields[0].Detail, tt.says) {
			t.Errorf("%s: it is %v %+v", tt.name, err, f)
		}
	}
	if err := of(
		template.Subject{Engine: catalog.SCIM2},
		ProvisioningSettings{Account: &template.AccountSettings{Container: &template.ContainerRule{Expression: "'x'"}}},
	).check(); err == nil {
		t.Error("accounts of SCIM have a place")
	}
	for _, s := range []template.Subject{{Engine: catalog.LDAP}, {Engine: catalog.LDAP, Vendor: "active-directory"},
		{Engine: catalog.SCIM2}, {Engine: catalog.REST}, {Engine: catalog.Custom}} {
		if err := of(s, ProvisioningSettings{}).check(); err != nil {
			t.Errorf("the defaults of %s cannot be saved: %v", s.Engine, err)
		}
	}
}

func TestWhatTheTemplateOwnsIsWhatItAlwaysWrites(t *testing.T) {
	c := of(
		template.Subject{Engine: catalog.LDAP},
		ProvisioningSettings{Account: &template.AccountSettings{Attributes: &[]template.AttributeRule{
			{
				Target:     "mail",
				Expression: "f'{username}@x.test'",
			},
			{Target: "uidNumber", Expression: "'7'", On: template.OnCreate},
			{Target: "room", Expression: "identity.location"},
			{Target: "bad", Expression: "int(identity.title)"},
		}}},
	)
	owned, err := c.Owned(jane(), "jdoe9")
	if err != nil || len(owned) != 3 {
		t.Fatalf("it owns %+v, %v", owned, err)
	}
	if owned[0].Value != "jdoe9@x.test" || owned[1].Value != nil || owned[1].Problem != nil || owned[2].Problem == nil {
		t.Errorf("it owns %+v", owned)
	}
}

func TestANameThatFollowsThePersonKeepsItsNumber(t *testing.T) {
	c := of(template.Subject{Engine: catalog.LDAP}, ProvisioningSettings{Account: &template.AccountSettings{
		Username: &template.UsernameRule{
			Expression: "f'{identity.first_name}.{identity.last_name}'",
			On:         template.OnAlways,
		},
		Container: &template.ContainerRule{Expression: "f'ou={identity.department},dc=acme'", On: template.OnAlways},
	}})
	taken := func(n string) bool { return n == "jane.doe" || n == "jane.doe2" }
	for current, want := range map[string]string{"jane.doe": "", "Jane.Doe": "", "jane.doe2": "", "jane.doe17": "",
		"jane.do": "jane.doe3", "jane.roe2": "jane.doe3", "jane.doe02": "jane.doe3"} {
		name, place, err := c.Moved(jane(), current, taken)
		got := ""
		if name != nil {
			got = *name
		}
		if err != nil || got != want || place == nil || *place != "ou=Surgery,dc=acme" {
			t.Errorf("%s becomes %q at %v, %v; want %q", current, got, place, err, want)
		}
	}
	f := jane()
	f["last_name"] = nil
	if _, _, err := c.Moved(
		f,
		"jane.doe",
		taken,
	); err == nil ||
		!strings.Contains(err.Error(), "identity.last_name is not known") {
		t.Errorf("the reason is %v", err)
	}
}

func TestMostAccountsSayWhereTheNextOneLies(t *testing.T) {
	for want, refs := range map[string][]string{
		"":                    nil,
		"ou=people,dc=acme":   {"uid=a,ou=people,dc=acme", "uid=b,ou=people,dc=acme", "uid=c,ou=old,dc=acme"},
		`ou=O\, Neil,dc=acme`: {`cn=x\,y,ou=O\, Neil,dc=acme`},
		"ou=a,dc=acme":        {"uid=a,ou=b,dc=acme", "uid=b,ou=a,dc=acme"},
	} {
		if got := container.CommonParent(refs); got != want {
			t.Errorf("of %q it is %q, want %q", refs, got, want)
		}
	}
}

func TestAValueOfThePersonAddsNothingToAContainer(t *testing.T) {
	for _, tt := range []struct{ expression, department, want string }{
		{"f'ou={identity.department},ou=people,dc=acme'", "employees,ou=services", ""},
		{"f'ou={identity.department},ou=people,dc=acme'", "employees+ou=services", ""},
		{"f'ou={identity.department},ou=people,dc=acme'", "employees\\", ""},
		{"f'ou={upper(identity.department)},ou=people,dc=acme'", "a;ou=b", ""},
		{"'ou=' + identity.attributes['unit'] + ',dc=acme'", "Surgery", ""},
		{"f'ou={identity.department},ou=people,dc=acme'", "Surgery", "ou=Surgery,ou=people,dc=acme"},
		{"f'ou={identity.department},ou=people,dc=acme'", "R = D", "ou=R = D,ou=people,dc=acme"},
		{"f'ou={escape_dn(identity.department)},ou=people,dc=acme'", "employees,ou=services",
			`ou=employees\,ou\=services,ou=people,dc=acme`},
		{"f'ou={escape_dn(identity.department)},ou=people,dc=acme'", " #R+D ", `ou=\ #R\+D\ ,ou=people,dc=acme`},
		{"'ou=rd,ou=labs,dc=acme' if identity.department == 'R, D' else 'dc=acme'", "R, D", "ou=rd,ou=labs,dc=acme"},
		{"identity.department", "ou=a,dc=acme", "ou=a,dc=acme"},
	} {
		c := of(template.Subject{Engine: catalog.LDAP}, ProvisioningSettings{Account: &template.AccountSettings{
			Container: &template.ContainerRule{Expression: tt.expression},
		}})
		f := jane()
		f["department"] = tt.department
		f["attributes"] = map[string]any{"unit": "x,ou=admins"}
		m, err := c.make(f, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		got, _ := m.container.value.(string)
		if got != tt.want || (m.container.problem == nil) != (tt.want != "") {
			t.Errorf("%s with %q: %q, %+v; want %q", tt.expression, tt.department, got, m.container.problem, tt.want)
		}
		if p := m.container.problem; p != nil &&
			(!strings.Contains(p.Message, "escape_dn") || strings.Contains(p.Message, "services")) {
			t.Errorf("the reason is %q", p.Message)
		}
	}
}
