package ldapdir_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/e2e/targets/ldapdir"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

const password = "correct horse"

// start serves a company of n people until the test ends.
func start(t *testing.T, n int, change ...func(*ldapdir.Config)) (*ldapdir.Server, people.Company) {
	t.Helper()
	c := people.NewCompany(1, n)
	cfg := ldapdir.Config{System: c.Directory, Password: password, SizeLimit: 200}
	for _, f := range change {
		f(&cfg)
	}
	s, err := ldapdir.Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s, c
}

// dial connects; as the reader when bind is true.
func dial(t *testing.T, s *ldapdir.Server, bind bool) *ldap.Conn {
	t.Helper()
	c, err := ldap.DialURL(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if bind {
		if err := c.Bind(s.ReaderDN(), password); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func request(base string, scope int, filter string, attributes ...string) *ldap.SearchRequest {
	return ldap.NewSearchRequest(base, scope, ldap.NeverDerefAliases, 0, 0, false, filter, attributes, nil)
}

// code is the LDAP result code of an error, 0 for none.
func code(err error) uint16 {
	var e *ldap.Error
	if errors.As(err, &e) {
		return e.ResultCode
	}
	return 0
}

func TestBindAcceptsTheReaderAndTheAnonymousAlone(t *testing.T) {
	s, _ := start(t, 0)
	for _, tt := range []struct {
		name, dn, password string
		want               uint16
	}{
		{"anonymous", "", "", 0},
		{"the reader", s.ReaderDN(), password, 0},
		{"the reader in capitals", strings.ToUpper(s.ReaderDN()), password, 0},
		{"a wrong password", s.ReaderDN(), "wrong", ldap.LDAPResultInvalidCredentials},
		{"an unknown name", "cn=nobody," + s.BaseDN(), password, ldap.LDAPResultInvalidCredentials},
		{"a name without a password", s.ReaderDN(), "", ldap.LDAPResultUnwillingToPerform},
	} {
		c := dial(t, s, false)
		_, err := c.SimpleBind(
			&ldap.SimpleBindRequest{Username: tt.dn, Password: tt.password, AllowEmptyPassword: true},
		)
		if got := code(err); got != tt.want {
			t.Errorf("%s: code %d (%v); want %d", tt.name, got, err, tt.want)
		}
	}
}

func TestRootDSEAndSchemaLeadAClientToEverything(t *testing.T) {
	s, _ := start(t, 0, func(c *ldapdir.Config) { c.RefuseAnonymousReads = true })
	c := dial(t, s, false)
	found, err := c.Search(
		request(
			"",
			ldap.ScopeBaseObject,
			"(objectClass=*)",
			"supportedControl",
			"namingContexts",
			"subschemaSubentry",
			"vendorName",
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	dse := found.Entries[0]
	if got := dse.GetAttributeValues("supportedControl"); !slices.Contains(got, ldap.ControlTypePaging) {
		t.Errorf("supportedControl = %v; want paging in it", got)
	}
	if dse.GetAttributeValue("namingContexts") != s.BaseDN() ||
		dse.GetAttributeValue("vendorName") != "Grantwright bundled directory" {
		t.Errorf("root DSE is %v", dse.Attributes)
	}
	found, err = c.Search(
		request(
			dse.GetAttributeValue("subschemaSubentry"),
			ldap.ScopeBaseObject,
			"(objectClass=subschema)",
			"attributeTypes",
			"objectClasses",
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	types := strings.Join(found.Entries[0].GetAttributeValues("attributeTypes"), "\n")
	classes := strings.Join(found.Entries[0].GetAttributeValues("objectClasses"), "\n")
	for _, want := range []string{"'inetOrgPerson'", "'groupOfNames'"} {
		if !strings.Contains(classes, want) {
			t.Errorf("objectClasses lack %s", want)
		}
	}
	if !strings.Contains(
		types,
		"NAME ( 'sn' 'surname' ) EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX "+
			"1.3.6.1.4.1.1466.115.121.1.15 )",
	) {
		t.Errorf("attributeTypes do not define sn as RFC 4512 writes it:\n%s", types)
	}
	if _, err = c.Search(request(s.BaseDN(), ldap.ScopeWholeSubtree, "(objectClass=*)")); code(
		err,
	) != ldap.LDAPResultInsufficientAccessRights {
		t.Errorf("anonymous search: %v; want code 50", err)
	}
}

func TestEveryAttributeInUseIsInTheSchema(t *testing.T) {
	s, _ := start(t, 300)
	c := dial(t, s, true)
	found, err := c.Search(request("cn=subschema", ldap.ScopeBaseObject, "(objectClass=*)", "+"))
	if err != nil {
		t.Fatal(err)
	}
	types := strings.Join(found.Entries[0].GetAttributeValues("attributeTypes"), "\n")
	all, err := c.SearchWithPaging(request(s.BaseDN(), ldap.ScopeWholeSubtree, "(objectClass=*)", "*", "+"), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all.Entries {
		for _, a := range e.Attributes {
			if !strings.Contains(types, "'"+a.Name+"'") {
				t.Fatalf("%s of %s is not in the schema", a.Name, e.DN)
			}
		}
	}
}

func TestPagesHoldEveryEntryOnce(t *testing.T) {
	s, c := start(t, 3000)
	for _, size := range []uint32{1000, 137} {
		conn := dial(t, s, true)
		seen := map[string]bool{}
		pages := 0
		paging := ldap.NewControlPaging(size)
		for {
			r := request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(objectClass=inetOrgPerson)", "uid")
			r.Controls = []ldap.Control{paging}
			found, err := conn.Search(r)
			if err != nil {
				t.Fatal(err)
			}
			pages++
			for _, e := range found.Entries {
				if seen[e.DN] {
					t.Fatalf("%s came twice", e.DN)
				}
				seen[e.DN] = true
			}
			answer, ok := ldap.FindControl(found.Controls, ldap.ControlTypePaging).(*ldap.ControlPaging)
			if !ok {
				t.Fatal("a page came without a paging control")
			}
			if len(answer.Cookie) == 0 {
				break
			}
			paging.SetCookie(answer.Cookie)
		}
		want := len(c.Directory.Accounts) - len(c.Wrinkles.ServiceAccounts)
		if len(seen) != want || pages != (want+int(size)-1)/int(size) {
			t.Errorf("page size %d: %d people in %d pages; want %d", size, len(seen), pages, want)
		}
	}
}

func TestACookieOfAnotherSearchIsRefused(t *testing.T) {
	s, _ := start(t, 300)
	c := dial(t, s, true)
	paging := ldap.NewControlPaging(10)
	r := request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(uid=*)", "uid")
	r.Controls = []ldap.Control{paging}
	found, err := c.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	paging.SetCookie(ldap.FindControl(found.Controls, ldap.ControlTypePaging).(*ldap.ControlPaging).Cookie)
	r.Filter = "(mail=*)"
	if _, err = c.Search(r); code(err) != ldap.LDAPResultUnwillingToPerform {
		t.Errorf("a cookie of another filter: %v; want code 53", err)
	}
	paging.PagingSize, r.Filter = 0, "(uid=*)"
	if found, err = c.Search(r); err != nil || len(found.Entries) != 0 {
		t.Errorf("abandoning a paged search: %v, %v; want success without entries", found, err)
	}
}

func TestASearchWithoutPagingEndsAtTheSizeLimit(t *testing.T) {
	s, _ := start(t, 300)
	c := dial(t, s, true)
	found, err := c.Search(request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(objectClass=inetOrgPerson)", "1.1"))
	if code(err) != ldap.LDAPResultSizeLimitExceeded || len(found.Entries) != 200 {
		t.Errorf("got %v with %d entries; want code 4 with 200", err, len(found.Entries))
	}
	r := request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(objectClass=inetOrgPerson)", "1.1")
	r.SizeLimit = 1
	if found, err = c.Search(r); code(err) != ldap.LDAPResultSizeLimitExceeded || len(found.Entries) != 1 {
		t.Errorf("client limit 1: %v with %d entries; want code 4 with 1", err, len(found.Entries))
	}
	r.Controls = []ldap.Control{ldap.NewControlPaging(1)}
	if found, err = c.Search(r); err != nil || len(found.Entries) != 1 {
		t.Errorf("a page of 1: %v, %v; want success with 1 entry", found, err)
	}
}

func TestAMissingBaseIsNamedWithWhatIsThere(t *testing.T) {
	s, _ := start(t, 0)
	c := dial(t, s, true)
	_, err := c.Search(request("ou=nowhere,"+s.PeopleDN(), ldap.ScopeWholeSubtree, "(objectClass=*)"))
	var e *ldap.Error
	if !errors.As(err, &e) || e.ResultCode != ldap.LDAPResultNoSuchObject || e.MatchedDN != s.PeopleDN() {
		t.Errorf("got %v (matched %q); want code 32, matched %s", err, e.MatchedDN, s.PeopleDN())
	}
	if _, err = c.Search(request("not a dn", ldap.ScopeWholeSubtree, "(objectClass=*)")); code(
		err,
	) != ldap.LDAPResultInvalidDNSyntax {
		t.Errorf("a base that is no DN: %v; want code 34", err)
	}
}

func TestFiltersFindWhatTheySay(t *testing.T) {
	s, c := start(t, 300, func(c *ldapdir.Config) { c.SizeLimit = 5000 })
	conn := dial(t, s, true)
	people := func(fits func(people.Account) bool) (n int) {
		for _, a := range c.Directory.Accounts {
			if fits(a) {
				n++
			}
		}
		return n
	}
	head := c.Directory.Accounts[0]
	inFinance := func(a peopleAccount) bool { return a.Department == "Finance" }
	treasury := "cn=Treasury\\, Hamburg \\+ Lyon," + s.GroupsDN()
	for _, tt := range []struct {
		filter string
		want   int
	}{
		{"(uid=" + strings.ToUpper(head.Login) + ")", 1},
		{"(userid=" + head.Login + ")", 1},
		{"(cn=anna müller)", 2},
		{"(sn=Mü*)", people(func(a peopleAccount) bool { return strings.HasPrefix(a.FamilyName, "Mü") })},
		{"(mail=*.a*@*.example)", people(func(a peopleAccount) bool {
			local, _, _ := strings.Cut(a.Mail, "@")
			return strings.Contains(local, ".a")
		})},
		{"(departmentNumber=finance)", people(inFinance)},
		{"(&(objectClass=inetOrgPerson)(departmentNumber=Finance)(!(l=Hamburg)))",
			people(func(a peopleAccount) bool { return inFinance(a) && a.Location != "Hamburg" })},
		{"(|(departmentNumber=Finance)(departmentNumber=Sales))",
			people(func(a peopleAccount) bool { return inFinance(a) || a.Department == "Sales" })},
		{"(&(objectClass=inetOrgPerson)(!(mail=*)))", people(func(a peopleAccount) bool { return a.Mail == "" })},
		{"(employeeNumber>=100200)", people(func(a peopleAccount) bool { return a.Number >= "100200" })},
		{"(employeeNumber<=100010)", people(func(a peopleAccount) bool {
			return a.Number != "" &&
				a.Number <= "100010"
		})},
		{"(pwdAccountLockedTime=*)", people(func(a peopleAccount) bool { return !a.Enabled })},
		{"(manager=UID=" + head.Login + ", ou=employees,ou=people," + s.BaseDN() + ")",
			people(func(a peopleAccount) bool { return a.Manager == head.Login })},
		{"(!(noSuchAttribute=x))", 0},
		{"(noSuchAttribute=*)", 0},
		{"(cn=Treasury, Hamburg \\2b Lyon)", 1},
		{"(&(objectClass=groupOfNames)(entryDN=" + ldap.EscapeFilter(treasury) + "))", 1},
		{"(entryUUID=" + head.ID + ")", 1},
	} {
		found, err := conn.Search(request(s.BaseDN(), ldap.ScopeWholeSubtree, tt.filter, "1.1"))
		if err != nil || len(found.Entries) != tt.want {
			t.Errorf("%s: %d entries, %v; want %d", tt.filter, len(found.Entries), err, tt.want)
		}
	}
	_, err := conn.Search(request(s.BaseDN(), ldap.ScopeWholeSubtree, "(uid:caseExactMatch:=x)"))
	if code(err) != ldap.LDAPResultProtocolError {
		t.Errorf("extensible match: %v; want code 2", err)
	}
}

type peopleAccount = people.Account

func TestScopesEndWhereTheyShould(t *testing.T) {
	s, _ := start(t, 300, func(c *ldapdir.Config) { c.SizeLimit = 5000 })
	c := dial(t, s, true)
	for _, tt := range []struct {
		base  string
		scope int
		want  int
	}{
		{s.BaseDN(), ldap.ScopeBaseObject, 1},
		{s.BaseDN(), ldap.ScopeSingleLevel, 3},
		{s.PeopleDN(), ldap.ScopeSingleLevel, 2},
		{s.BaseDN(), ldap.ScopeWholeSubtree, s.Entries()},
		{"", ldap.ScopeSingleLevel, 1},
		{"", ldap.ScopeWholeSubtree, s.Entries()},
	} {
		found, err := c.Search(request(tt.base, tt.scope, "(objectClass=*)", "1.1"))
		if err != nil || len(found.Entries) != tt.want {
			t.Errorf("base %q scope %d: %d entries, %v; want %d", tt.base, tt.scope, len(found.Entries), err, tt.want)
		}
	}
}

func TestAttributesComeAsSelected(t *testing.T) {
	s, c := start(t, 300)
	conn := dial(t, s, true)
	login := c.Directory.Accounts[1].Login
	get := func(attributes ...string) []string {
		t.Helper()
		found, err := conn.Search(request(s.PeopleDN(), ldap.ScopeWholeSubtree, "(uid="+login+")", attributes...))
		if err != nil || len(found.Entries) != 1 {
			t.Fatalf("%v: %v", attributes, err)
		}
		var names []string
		for _, a := range found.Entries[0].Attributes {
			names = append(names, a.Name)
		}
		return names
	}
	has := func(names []string, name string) bool { return slices.Contains(names, name) }
	if got := get(); !has(got, "mail") || has(got, "entryUUID") || has(got, "memberOf") {
		t.Errorf("by default: %v; want user attributes alone", got)
	}
	if got := get("+"); has(got, "mail") || !has(got, "entryUUID") || !has(got, "modifyTimestamp") ||
		!has(got, "memberOf") {
		t.Errorf("with +: %v; want operational attributes alone", got)
	}
	if got := get("*", "+"); !has(got, "mail") || !has(got, "entryUUID") {
		t.Errorf("with * and +: %v; want both", got)
	}
	if got := get("1.1"); len(got) != 0 {
		t.Errorf("with 1.1: %v; want none", got)
	}
	if got := get("MAIL", "entryuuid"); !slices.Equal(got, []string{"mail", "entryUUID"}) {
		t.Errorf("by name: %v; want mail and entryUUID", got)
	}
	if got := get("surname"); !slices.Equal(got, []string{"sn"}) {
		t.Errorf("by alias: %v; want sn", got)
	}
}

func TestMembershipReadsTheSameFromBothEnds(t *testing.T) {
	s, c := start(t, 300)
	conn := dial(t, s, true)
	all, err := conn.SearchWithPaging(
		request(s.BaseDN(), ldap.ScopeWholeSubtree, "(objectClass=*)", "member", "memberOf"),
		100,
	)
	if err != nil {
		t.Fatal(err)
	}
	forward, back, known := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range all.Entries {
		known[e.DN] = true
	}
	dangling := 0
	for _, e := range all.Entries {
		for _, m := range e.GetAttributeValues("member") {
			if !known[m] {
				dangling++
				continue
			}
			forward[m+" in "+e.DN] = true
		}
		for _, g := range e.GetAttributeValues("memberOf") {
			back[e.DN+" in "+g] = true
		}
	}
	if len(forward) == 0 || len(forward) != len(back) {
		t.Errorf("%d members, %d back links; want as many", len(forward), len(back))
	}
	for edge := range forward {
		if !back[edge] {
			t.Errorf("no back link for %s", edge)
		}
	}
	if dangling != len(c.Wrinkles.DanglingMembers) {
		t.Errorf("%d dangling members; want %d", dangling, len(c.Wrinkles.DanglingMembers))
	}
}
