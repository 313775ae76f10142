package mapping_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var today = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

func TestSourceFieldsFindTheirWayByName(t *testing.T) {
	for _, tt := range []struct {
		source string
		field  mapping.Field
		rule   mapping.Rule
	}{
		{"email", mapping.Email, mapping.Exact},
		{"Email", mapping.Email, mapping.Exact},
		{"displayName", mapping.DisplayName, mapping.Exact},
		{"DISPLAY_NAME", mapping.DisplayName, mapping.Exact},
		{"employeeNumber", mapping.EmployeeNumber, mapping.Exact},
		{"mail", mapping.Email, mapping.Synonym},
		{"cn", mapping.DisplayName, mapping.Synonym},
		{"sAMAccountName", mapping.Username, mapping.Synonym},
		{"userPrincipalName", mapping.Email, mapping.VendorTemplate},
		{"userAccountControl", mapping.IsDisabled, mapping.VendorTemplate},
		{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber", mapping.EmployeeNumber,
			mapping.ScimExtension},
		{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value", mapping.Manager,
			mapping.ScimExtension},
		{"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", mapping.Department,
			mapping.ScimExtension},
		{"favouriteColour", "", ""},
	} {
		f, rule, ok := mapping.Match("identity", tt.source)
		if !ok {
			f, rule = "", ""
		}
		if f != tt.field || rule != tt.rule {
			t.Errorf("Match(%s) = %s by %s; want %s by %s", tt.source, f, rule, tt.field, tt.rule)
		}
	}
}

func TestTheBetterRuleWinsWhereTwoFieldsClaimOne(t *testing.T) {
	p, problems := mapper.New().Person(&v1.RemoteIdentity{ExternalID: "1", Attributes: map[string]any{
		"cn":                 "Common Name",
		"displayName":        "Display Name",
		"userPrincipalName":  "upn@x.test",
		"mail":               "mail@x.test",
		"manager":            "CN=Boss, OU=People,DC=x",
		"hireDate":           "2020-02-29",
		"userAccountControl": "514",
		"memberOf":           []any{"a", "b"},
	}}, today)
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	want := map[mapping.Field]string{mapping.DisplayName: "Display Name", mapping.Email: "mail@x.test"}
	if diff := cmp.Diff(want, p.Text); diff != "" {
		t.Errorf("text fields (-want +got):\n%s", diff)
	}
	if p.Manager == nil || *p.Manager != (v1.Ref{Kind: v1.RefNative, Value: "cn=boss,ou=people,dc=x"}) {
		t.Errorf("manager = %v", p.Manager)
	}
	if p.Status != "deactivated" || p.HireDate == nil || p.HireDate.Format(time.DateOnly) != "2020-02-29" {
		t.Errorf("status %q, hire date %v", p.Status, p.HireDate)
	}
}

func TestAValueThatCannotBeUsedIsNamedWithoutBeingShown(t *testing.T) {
	_, problems := mapper.New().Person(&v1.RemoteIdentity{ExternalID: "1", Attributes: map[string]any{
		"hire_date": "the day before yesterday", "mail": "nobody", "disabled": "perhaps",
	}}, today)
	want := []mapper.Problem{
		{Field: "disabled", Code: "not_a_boolean", Message: "is_disabled needs true or false"},
		{Field: "hire_date", Code: "not_a_date", Message: "hire_date needs a date such as 2026-01-31"},
		{Field: "mail", Code: "not_an_email", Message: "an e-mail address needs an @"},
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestASourcesWordsAreKeptThoughNoStandardHasThem(t *testing.T) {
	p, problems := mapper.New().
		Person(&v1.RemoteIdentity{ExternalID: "1",
			Attributes: map[string]any{"country": "Switzerland", "title": "Festangestellt"}}, today)
	want := map[mapping.Field]string{mapping.Country: "Switzerland", mapping.Title: "Festangestellt"}
	if diff := cmp.Diff(want, p.Text); diff != "" || len(problems) > 0 {
		t.Errorf("with the problems %v, text fields (-want +got):\n%s", problems, diff)
	}
}

func TestAStateFollowsFromWordFlagAndDates(t *testing.T) {
	yes, no := true, false
	word := func(s string) *string { return &s }
	for _, tt := range []struct {
		name string
		r    v1.RemoteIdentity
		want string
	}{
		{"nothing said", v1.RemoteIdentity{}, ""},
		{"flag", v1.RemoteIdentity{IsDisabled: &yes}, "deactivated"},
		{"flag off", v1.RemoteIdentity{IsDisabled: &no}, "active"},
		{"word", v1.RemoteIdentity{Status: word("Terminated")}, "deactivated"},
		{"on leave and disabled", v1.RemoteIdentity{Status: word("On Leave"), IsDisabled: &yes}, "on_leave"},
		{"ended", v1.RemoteIdentity{Status: word("active"), TerminationDate: word("2026-11-19")}, "deactivated"},
		{"ends today", v1.RemoteIdentity{Status: word("active"), TerminationDate: word("2026-11-20")}, "active"},
		{"starts tomorrow", v1.RemoteIdentity{StartDate: word("2026-11-21")}, "pre_hire"},
		{"active: false as an attribute", v1.RemoteIdentity{Attributes: map[string]any{"active": false}},
			"deactivated"},
		{"unknown word", v1.RemoteIdentity{Status: word("blue")}, ""},
	} {
		if p, _ := mapper.New().Person(&tt.r, today); p.Status != tt.want {
			t.Errorf("%s: %q; want %q", tt.name, p.Status, tt.want)
		}
	}
}
