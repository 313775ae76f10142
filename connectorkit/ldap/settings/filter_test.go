package settings

import (
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"
)

// FuzzEscapeFilter checks that a value never changes the filter it stands in, and is read back as it was.
func FuzzEscapeFilter(f *testing.F) {
	for _, s := range []string{
		"", "anna", "*", "a)(objectClass=*", `\2a`, "\x00", "(&", "é", "\xff\xfe", "a b,c=d", "!x", ">=1", "~=",
		":dn:=",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, escaped := range []string{goldap.EscapeFilter(s)} {
			p, err := goldap.CompileFilter("(&(uid=" + escaped + ")(cn=x))")
			if err != nil {
				t.Fatalf("%q becomes %q, which is no part of a filter: %v", s, escaped, err)
			}
			if len(p.Children) != 2 || p.Children[0].Tag != goldap.FilterEqualityMatch ||
				len(p.Children[0].Children) != 2 {
				t.Fatalf("%q becomes %q, which is another filter", s, escaped)
			}
			if got := p.Children[0].Children[1].Data.String(); got != s {
				t.Errorf("%q becomes %q, which is read as %q", s, escaped, got)
			}
		}
	})
}

func TestLevelsOfAFilterAreCounted(t *testing.T) {
	for in, want := range map[string]int{
		"(a=b)": 1, "(&(a=b)(|(c=d)(e=f)))": 3, `(a=\(\()`: 1,
		strings.Repeat("(!", 60) + "(a=b)" + strings.Repeat(")", 60): 61, "": 0,
	} {
		if got := filterDepth(in); got != want {
			t.Errorf("deepest(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestFiltersJoinWhatIsConfiguredWithWhatIsUsual(t *testing.T) {
	openldap := FlavorNamed(FlavorOpenLDAP)
	usual := "(|(objectClass=inetOrgPerson)(objectClass=person)(objectClass=posixAccount))"
	for _, tt := range []struct {
		s    Settings
		f    Flavor
		want string
	}{
		{Settings{}, openldap, usual},
		{Settings{}, FlavorNamed(FlavorAD), "(&(objectCategory=person)(objectClass=user))"},
		{Settings{UserFilter: "(ou=IT)"}, openldap, "(&" + usual + "(ou=IT))"},
		{
			Settings{UserFilter: "(&(ou=IT)(!(objectClass=device)))"}, openldap,
			"(&" + usual + "(&(ou=IT)(!(objectClass=device))))",
		},
		{Settings{UserFilter: "(objectclass=employee)"}, openldap, "(objectclass=employee)"},
		{
			Settings{UserFilter: "(ou=IT)", UserClasses: []string{"employee"}}, openldap,
			"(&(objectClass=employee)(ou=IT))",
		},
		{
			Settings{UserFilter: "(objectClass=x)", UserClasses: []string{"a", "b"}}, openldap,
			"(&(|(objectClass=a)(objectClass=b))(objectClass=x))",
		},
	} {
		if got, _ := Filters(&tt.s, tt.f); got != tt.want {
			t.Errorf("filters(%q, %v) = %s, want %s", tt.s.UserFilter, tt.s.UserClasses, got, tt.want)
		}
	}
}
